import { obj, str } from "../../apis/shared/fields.ts";
import { usageOf } from "../../apis/shared/usage.ts";
import { defined } from "../../core/defined.ts";
import { ModelError } from "../../core/errors.ts";
import { isRecord } from "../../core/is-record.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { ModelReply, StopReason } from "../../core/types.ts";
import { type Files, unlessGone } from "./files.ts";

export const REPLY_ENDINGS = [".reply.txt", ".reply.json"] as const;
/** A reply above this is no answer to any request of ours (bytes). */
const LARGEST_REPLY = 4_000_000;
const STOPS: readonly StopReason[] = ["end", "length", "refusal", "tool-call", "other"];

/** A reply as it lies in the folder. */
export interface FoundReply {
  readonly path: string;
  readonly size: number;
  /** Changes when the file does. */
  readonly mark: string;
  read(): Promise<string>;
}

/** One request in the folder. */
export interface Place {
  readonly stem: string;
  find(): Promise<FoundReply | undefined>;
  /** Puts request and reply away. */
  finish(): Promise<void>;
  /** Takes the request back: nobody needs an answer any more. */
  withdraw(): Promise<void>;
  /** Nobody waits here any longer. */
  leave(): void;
}

/** The reply to a request, if there is one. An empty file is one that somebody has only begun. */
export async function findReply(files: Files, dir: string, stem: string): Promise<FoundReply | undefined> {
  for (const ending of REPLY_ENDINGS) {
    const path = `${dir}/${stem}${ending}`;
    const found = await unlessGone(files.stat(path));
    if (found === undefined || found.size === 0) continue;
    return {
      path,
      size: found.size,
      mark: `${path}:${found.size}:${found.mtimeMs}`,
      read: () => files.readFile(path, "utf8"),
    };
  }
  return undefined;
}

/**
 * Reads a reply and puts it away with its request. One that can't be read goes too: it would fail again and again. Undefined if another
 * process that waits for the same reply has just put it away: it is found there.
 */
export async function takeReply(
  id: string,
  place: Place,
  found: FoundReply,
): Promise<ModelReply | undefined> {
  if (found.size > LARGEST_REPLY) {
    await place.finish();
    throw badReply(id, found, `it has ${found.size} bytes, more than ${LARGEST_REPLY}`);
  }
  const text = await unlessGone(found.read());
  if (text === undefined) return undefined;
  await place.finish();
  if (!found.path.endsWith(".json")) return { text: text.trim(), stop: "end", usage: usageOf({ input: 0 }) };
  const value = parseJson(text);
  if (!isRecord(value)) throw badReply(id, found, "it isn't a JSON object");
  if (value["error"] !== undefined) throw refusal(id, value["error"]);
  if (typeof value["text"] !== "string") throw badReply(id, found, 'it has no "text"');
  const usage = obj(value["usage"]);
  return {
    text: value["text"].trim(),
    stop: STOPS.find((stop) => stop === value["stop"]) ?? (value["stop"] === undefined ? "end" : "other"),
    usage: usageOf({ input: usage["input"], output: usage["output"] }),
    ...defined({ model: str(value["model"]) || undefined }),
  };
}

function badReply(id: string, found: FoundReply, what: string): ModelError {
  return new ModelError({
    model: id,
    failure: "bad-answer",
    message: `${found.path} can't be read: ${what}.`,
    fix: "README.txt in the folder says what a reply looks like.",
  });
}

function refusal(id: string, reason: unknown): ModelError {
  return new ModelError({
    model: id,
    failure: "refused",
    message: typeof reason === "string" ? reason : JSON.stringify(reason),
    fix: "Whoever answers the mailbox gave this reason.",
  });
}
