import { createHash } from "node:crypto";
import { targetPath } from "../upstream/address.ts";
import type { Answer } from "../upstream/answer.ts";
import { askReadable } from "../upstream/decode-answer.ts";
import { send } from "../upstream/send.ts";
import { upstreamHeaders } from "../upstream/upstream-headers.ts";
import type { Outgoing, Turn } from "./turn.ts";

/** What is sent to the upstream of a turn, and where. */
export interface SentOn extends Pick<Outgoing, "body" | "isOurs"> {
  readonly path: string;
  readonly streamed: boolean;
  readonly signal: AbortSignal;
}

/** Sends something in the name of the turn's client. */
export function sendOn(turn: Turn, { path, body, isOurs, streamed, signal }: SentOn): Promise<Answer> {
  const { upstream, client } = turn;
  const headers = upstreamHeaders(upstream, turn.headers, path, body.length, client.keyIsOurs);
  if (isOurs) {
    delete headers["content-encoding"];
    // A key stands for one body: a provider answers it with what it answered then, a refusal as well.
    const key = headers["idempotency-key"];
    if (key !== undefined)
      headers["idempotency-key"] =
        `${String(key)}-${createHash("sha256").update(body).digest("hex").slice(0, 16)}`;
  }
  if (turn.isEmulated) turn.wire.native?.dropFlags(headers);
  askReadable(headers, streamed);
  return send({ upstream, method: "POST", path: targetPath(upstream, path), headers, body, signal });
}
