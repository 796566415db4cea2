import { createMeasure, exactCounter } from "../../tokens/index.ts";
import type { Gateway } from "../gateway.ts";
import { sendJson } from "../http/send-json.ts";
import type { Exchange } from "../v1/exchange.ts";
import { isJson, listOf } from "../wires/json.ts";
import { transcriptOf } from "../wires/responses.ts";
import type { Json } from "../wires/wire.ts";
import { clearEdits } from "./clear-edits.ts";
import { compactionAnswer } from "./compaction-answer.ts";
import { makeSummary } from "./make-summary.ts";
import type { NativeWish } from "./native-wish.ts";
import { replayItems, replayMessages } from "./replay-summaries.ts";

/**
 * Carries out what a request asks of the provider's own compaction, for an upstream that has none. Undefined: the
 * request is answered already. Otherwise the request as the upstream understands it.
 */
export async function emulate(
  gateway: Gateway,
  exchange: Exchange,
  wish: NativeWish,
): Promise<Exchange | undefined> {
  const { wire, response } = exchange;
  const body = plainBody(exchange);
  const asked = wire.read(body);
  if (wish.summarize) {
    const made = await makeSummary(gateway, { ...exchange, asked }, asked.transcript, wish.instructions);
    const { json, events } = compactionAnswer(wire, made);
    await exchange.recording?.abandon().catch(() => {});
    const headers = { "x-precis-action": "compacted" };
    if (!asked.streamed) sendJson(response, 200, json, headers);
    else {
      response.writeHead(200, { "content-type": "text/event-stream", ...headers });
      response.end(
        events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
      );
    }
    return undefined;
  }
  const { messages, applied } = await cleared(exchange, asked, wish);
  const next = applied.length > 0 ? wire.write(body, { messages, system: asked.system }) : body;
  return {
    ...exchange,
    body: next,
    bytes: Buffer.from(JSON.stringify(next)),
    asked: wire.read(next),
    isRewritten: true,
    // A threshold is a budget: from there on precis compacts, with its own checkpoints and without a block in the answer.
    options:
      wish.threshold === undefined ? exchange.options : { ...exchange.options, budget: wish.threshold },
    ...(wish.edits.length > 0 && { appliedEdits: applied }),
  };
}

/** The body without what only the provider's own API has. */
function plainBody({ wire, body }: Exchange): Json {
  if (wire.api === "messages") {
    const { context_management: _, compaction: __, ...rest } = body;
    return { ...rest, messages: replayMessages(listOf(body["messages"])) };
  }
  const { context_management: _, ...rest } = body;
  const items = transcriptOf(body["input"]).filter(
    (item) => !(isJson(item) && item["type"] === "compaction_trigger"),
  );
  return { ...rest, input: replayItems(items) };
}

async function cleared(exchange: Exchange, asked: Exchange["asked"], { edits }: NativeWish) {
  if (edits.length === 0) return { messages: asked.transcript, applied: [] };
  const counter = await exactCounter("o200k_base");
  const measure = createMeasure({ counter });
  const input = asked.transcript.reduce<number>(
    (sum, message) => sum + measure.message(exchange.wire.dialect.read(message)),
    measure.tools(asked.tools),
  );
  return clearEdits(asked.transcript, edits, { input, of: (text) => counter.count(text) });
}
