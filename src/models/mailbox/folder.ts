import { obj, str } from "../../apis/shared/fields.ts";
import { usageOf } from "../../apis/shared/usage.ts";
import { defined } from "../../core/collections.ts";
import { ConfigError, ModelError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { ModelReply, ModelRequest, StopReason } from "../../core/types.ts";

/** Requests hold words of a conversation, so the files are their owner's alone. */
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Where requests go once they are answered. */
const DONE = "done";
const REPLY_ENDINGS = [".reply.txt", ".reply.json"] as const;
const REQUEST_ENDINGS = [".request.txt", ".request.json"] as const;
/** Enough of a hash to tell the requests of one folder apart (characters). */
const HASH_LENGTH = 12;
const NUMBER_LENGTH = 4;
/** Longest part of a file's name that comes from the request (characters). */
const NAME_LENGTH = 40;
/** Other processes may take the same number; more often than this nobody is that unlucky. */
const NUMBER_TRIES = 1_000;

interface Folder {
  /** Puts a request into the folder, or finds the same one where an earlier run left it. */
  post(request: ModelRequest): Promise<Place>;
}

/** The folder of a mailbox. It is made at the first request, not before. */
export function openFolder(id: string, dir: string): Folder {
  /** Requests that are being waited for here. The same request once more gets a file of its own. */
  const waiting = new Set<string>();
  /** Requests are put down one after the other, so that two never choose the same number. */
  let last: Promise<unknown> = Promise.resolve();

  const post = async (request: ModelRequest): Promise<Place> => {
    const files = filesOf(id);
    await prepare(files, dir);
    const label = labelOf(request);
    const names = await files.readdir(dir);
    const left = stemsOf(names).find((stem) => stem.endsWith(`-${label}`) && !waiting.has(stem));
    const stem = left ?? (await putDown(files, dir, label, request));
    waiting.add(stem);
    return placeOf(files, dir, stem, () => waiting.delete(stem));
  };

  return {
    post(request) {
      const next = last
        .then(() => post(request))
        .catch((error: unknown) => {
          throw error instanceof Error && codeOf(error) !== undefined ? failed(id, dir, error) : error;
        });
      last = next.catch(() => undefined);
      return next;
    },
  };
}

async function prepare(files: Files, dir: string): Promise<void> {
  await files.mkdir(`${dir}/${DONE}`, { recursive: true, mode: PRIVATE_FOLDER });
  const readme = `${dir}/README.txt`;
  const there = await unlessGone(files.stat(readme));
  if (there === undefined) await files.writeFile(readme, README, { mode: PRIVATE_FILE });
}

/** What a request is called apart from its number: its own name and a hash of what it asks. */
function labelOf({ name, system, messages, cap, temperature }: ModelRequest): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, NAME_LENGTH);
  const hash = contentHash(JSON.stringify([system, messages, cap, temperature]));
  return `${safe || "request"}-${hash.replace(/[^A-Za-z0-9]/g, "").slice(0, HASH_LENGTH)}`;
}

const ENDINGS = [...REQUEST_ENDINGS, ...REPLY_ENDINGS];

/** The requests that files belong to, lowest number first. */
function stemsOf(names: readonly string[]): string[] {
  const stems = names.flatMap((name) => {
    const ending = ENDINGS.find((one) => name.endsWith(one));
    return ending === undefined ? [] : [name.slice(0, -ending.length)];
  });
  return [...new Set(stems)].sort();
}

/** Writes both files. The one for programs comes last, so that who sees it can see the other one. */
async function putDown(files: Files, dir: string, label: string, request: ModelRequest): Promise<string> {
  const taken = [...stemsOf(await files.readdir(dir)), ...stemsOf(await files.readdir(`${dir}/${DONE}`))];
  const highest = Math.max(0, ...taken.map((stem) => Number.parseInt(stem, 10) || 0));
  for (let number = highest + 1; number <= highest + NUMBER_TRIES; number += 1) {
    const stem = `${String(number).padStart(NUMBER_LENGTH, "0")}-${label}`;
    if (!(await create(files, `${dir}/${stem}.request.txt`, requestText(stem, request)))) continue;
    await create(files, `${dir}/${stem}.request.json`, requestJson(stem, request));
    return stem;
  }
  throw new Error(`precis: no free number after ${highest} in ${dir}`);
}

/** A whole file under a name that nobody else has; false if somebody has it. */
async function create(files: Files, target: string, text: string): Promise<boolean> {
  const draft = `${target}.${Math.random().toString(36).slice(2)}.tmp`;
  await files.writeFile(draft, text, { mode: PRIVATE_FILE });
  try {
    // A link fails where a rename would overwrite.
    await files.link(draft, target);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    await files.rm(draft, { force: true });
  }
}

function placeOf(files: Files, dir: string, stem: string, leave: () => void): Place {
  return {
    stem,
    // Another process may have asked the same and taken the reply already.
    find: async () => (await findReply(files, dir, stem)) ?? (await findReply(files, `${dir}/${DONE}`, stem)),
    async finish() {
      for (const ending of ENDINGS)
        await unlessGone(files.rename(`${dir}/${stem}${ending}`, `${dir}/${DONE}/${stem}${ending}`));
    },
    async withdraw() {
      for (const ending of REQUEST_ENDINGS) await files.rm(`${dir}/${stem}${ending}`, { force: true });
    },
    leave,
  };
}

function failed(id: string, dir: string, cause: Error): ModelError {
  return new ModelError({
    model: id,
    failure: "network",
    message: `the folder ${dir} can't be used: ${cause.message}`,
    fix: "Name a folder that this process may write to.",
    cause,
  });
}

/** What the folder's `README.txt` says to whoever answers. */
const README = `precis asks a model here. You, or a program of yours, are the model.

For each file NAME.request.txt (the same as data: NAME.request.json):

1. Read it. "system" holds the instructions, "user" what is asked.
2. Write the answer, and nothing else, into NAME.reply.txt in this folder.
   A program should write it under another name first and then rename it.

Instead of NAME.reply.txt you may write NAME.reply.json:

  { "text": "the answer",
    "stop": "end",                             or "length", "refusal", "other"
    "usage": { "input": 1200, "output": 80 },  tokens, if you know them
    "model": "who answered" }

  { "error": "why there is no answer" }        the request fails

precis looks for replies all the time. A request that was answered moves to done/.
A request that is no longer wanted disappears.
`;

/** A request for people: what a model would see, and where the answer goes. */
function requestText(stem: string, request: ModelRequest): string {
  const parts = [
    ...(request.system === undefined ? [] : [{ role: "system", text: request.system }]),
    ...request.messages,
  ];
  const words = `Answer in ${stem}.reply.txt, with at most ${request.cap} tokens. README.txt says more.`;
  return [words, ...parts.map(({ role, text }) => `=== ${role} ===\n${text}`), ""].join("\n\n");
}

/** The same for programs. */
function requestJson(stem: string, request: ModelRequest): string {
  const { name, system, messages, cap, temperature } = request;
  const value = { name, reply: `${stem}.reply.txt`, cap, temperature, system, messages };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * The runtime's own file functions. They are asked for while the program runs rather than imported, so that
 * `precis/models` can still be bundled for browsers.
 */
function filesOf(id: string) {
  const files = globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files !== undefined) return files;
  throw new ConfigError({
    option: "dir",
    message: `${id} needs a runtime with files, such as Node.`,
    fix: "Use a model over HTTP here.",
  });
}

type Files = ReturnType<typeof filesOf>;

/** The code of an error of the file system, such as `ENOENT`. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** Does work on a file that may have gone in the meantime. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A reply above this is no answer to any request of ours (bytes). */
const LARGEST_REPLY = 4_000_000;
const STOPS: readonly StopReason[] = ["end", "length", "refusal", "tool-call", "other"];

/** A reply as it lies in the folder. */
interface FoundReply {
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
async function findReply(files: Files, dir: string, stem: string): Promise<FoundReply | undefined> {
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
