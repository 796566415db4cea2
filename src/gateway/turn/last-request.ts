import type { Gateway } from "../gateway.ts";
import type { Json } from "../wires/wire.ts";
import type { Exchange } from "../v1/exchange.ts";

/** What a summary by continuation adds to a request: its prompt and its answer (tokens). */
const CONTINUATION_ROOM = 4_000;
/** Bytes of a request for each of its tokens, at the least that is usual. */
const BYTES_PER_TOKEN = 3;

/**
 * The conversation's last request, which the provider has in its cache: the last view, or the transcript itself while it
 * is its own view. Where this node can't know, where the request is apart from its conversation, or where a summary's
 * prompt wouldn't fit behind it, the messages are left out, and no summary is asked for by continuation.
 */
export function lastRequest(gateway: Gateway, exchange: Exchange, isApart: boolean): Json {
  const { body, wire, asked, recording, upstream } = exchange;
  const known =
    !isApart && wasServedHere(exchange)
      ? ((recording && gateway.sent.get(recording.known)) ?? { request: body, bytes: exchange.plain.length })
      : undefined;
  const { window } = gateway.windows.of(upstream, asked.model, exchange.client.tenant);
  return known && known.bytes / BYTES_PER_TOKEN + CONTINUATION_ROOM <= window
    ? known.request
    : wire.write(body, { messages: [], system: asked.system });
}

/** Was the request before this one served by this node? Then it knows what was sent. */
function wasServedHere({ recording }: Exchange): boolean {
  if (!recording) return false;
  const { record, matched, known } = recording;
  if (matched === 0) return true;
  const fresh = record.messages.slice(record.start + matched);
  return known.lastRequestAt > 0 && fresh.every(({ role }) => role !== "assistant");
}
