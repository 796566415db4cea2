import type { Json } from "../http/json.ts";
import type { Turn, TurnParts } from "./turn.ts";

/** What a summary by continuation adds to a request: its prompt and its answer (tokens). */
const CONTINUATION_ROOM = 4_000;
/** Bytes of a request for each of its tokens, at the least that is usual. */
const BYTES_PER_TOKEN = 3;

/**
 * The conversation's last request, which the provider has in its cache: the last view, or the transcript itself while it
 * is its own view. Where this node can't know, where the request has a wish of its own, or where a summary's
 * prompt wouldn't fit behind it, the messages are left out, and no summary is asked for by continuation.
 */
export function lastRequest(
  { memory, windows }: Pick<TurnParts, "memory" | "windows">,
  { body, wire, asked, recording, upstream, client, plain, translation, withHidden }: Turn,
  hasOwnWish: boolean,
): Json {
  const isKnown = !hasOwnWish && !translation && recording?.followsOurs;
  const last = isKnown
    ? (memory.lastRequest(recording.known) ?? { request: withHidden?.(body) ?? body, bytes: plain.length })
    : undefined;
  const { window } = windows.of(upstream, asked.model, client.tenant);
  return last && last.bytes / BYTES_PER_TOKEN + CONTINUATION_ROOM <= window
    ? last.request
    : wire.write(body, { messages: [], system: asked.system });
}
