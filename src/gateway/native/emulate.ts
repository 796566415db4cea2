import type { InsertMessage } from "../../core/types.ts";
import { createMeasure, exactCounter } from "../../tokens/index.ts";
import type { Gateway } from "../gateway.ts";
import { sendJson } from "../http/send-json.ts";
import type { Exchange } from "../v1/exchange.ts";
import { isJson, listOf } from "../wires/json.ts";
import { transcriptOf } from "../wires/responses.ts";
import type { Json, Wire } from "../wires/wire.ts";
import { announceCompaction } from "./announce-compaction.ts";
import { clearEdits } from "./clear-edits.ts";
import { compactionAnswer, type MadeSummary } from "./compaction-answer.ts";
import { makeSummary } from "./make-summary.ts";
import type { NativeWish } from "./native-wish.ts";
import { replayItems, replayMessages } from "./replay-summaries.ts";
import { summaryText } from "./seal-summary.ts";

/**
 * Carries out what a request asks of the provider's own compaction, for an upstream that has none. Undefined: the
 * request is answered already. Otherwise the request as the upstream understands it.
 */
export async function emulate(
  gateway: Gateway,
  exchange: Exchange,
  wish: NativeWish,
): Promise<Exchange | undefined> {
  const { wire } = exchange;
  const body = plainBody(exchange);
  const asked = wire.read(body);
  if (wish.summarize) {
    const made = await makeSummary(gateway, { ...exchange, asked }, asked.transcript, wish.instructions);
    return answerWith(exchange, made);
  }
  const { messages, applied } = await cleared(exchange, asked, wish);
  const over = wish.threshold !== undefined && (await tokensOf(wire, asked, messages)) >= wish.threshold;
  const made = over
    ? await makeSummary(gateway, { ...exchange, asked }, messages, wish.instructions)
    : undefined;
  if (made && wish.pauses) return answerWith(exchange, made);
  const shown = made ? [wire.dialect.write(summaryMessage(made)), ...lastTurn(wire, messages)] : messages;
  const next =
    made || applied.length > 0
      ? wire.write(body, { messages: joined(wire, shown), system: asked.system })
      : body;
  const bytes = Buffer.from(JSON.stringify(next));
  return {
    ...exchange,
    body: next,
    bytes,
    plain: bytes,
    asked: wire.read(next),
    isRewritten: true,
    ...(made && { announcement: announceCompaction(wire, made) }),
    ...(wish.edits.length > 0 && { appliedEdits: applied }),
  };
}

/** An answer that is nothing but the summary. */
async function answerWith(exchange: Exchange, made: MadeSummary): Promise<undefined> {
  const { wire, response } = exchange;
  const { json, events } = compactionAnswer(wire, made);
  await exchange.recording?.abandon().catch(() => {});
  const headers = { "x-precis-action": "compacted" };
  if (!exchange.asked.streamed) sendJson(response, 200, json, headers);
  else {
    response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    response.end(
      events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
    );
  }
  return undefined;
}

function summaryMessage({ text }: MadeSummary): InsertMessage {
  return { role: "user", text: summaryText(text) };
}

/** What is being answered: the last words of the user with what followed, or the round that is under way. */
function lastTurn(wire: Wire, messages: readonly unknown[]): readonly unknown[] {
  const read = messages.map((message) => wire.dialect.read(message));
  const last = read.at(-1);
  const isOpen = last?.parts.some(({ type }) => type === "tool-result") ?? false;
  if (!isOpen) {
    const from = read.findLastIndex(({ role }) => role === "user");
    return from < 0 ? [] : messages.slice(from);
  }
  // Items of one round may be many messages: all back to the first call after the last words or results before it.
  let from = read.length - 1;
  while (from > 0 && read[from]!.parts.some(({ type }) => type === "tool-result")) from--;
  while (from > 0 && read[from - 1]!.role === "assistant") from--;
  return messages.slice(from);
}

/** Formats whose roles must alternate get the summary in front of the user's own words. */
function joined(wire: Wire, messages: readonly unknown[]): readonly unknown[] {
  const [first, second, ...rest] = messages;
  if (wire.api !== "messages" || !isJson(first) || !isJson(second)) return messages;
  if (first["role"] !== "user" || second["role"] !== "user") return messages;
  return [{ ...second, content: [...partsOf(first["content"]), ...partsOf(second["content"])] }, ...rest];
}

function partsOf(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
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

async function tokensOf(
  wire: Wire,
  { system, tools }: Exchange["asked"],
  messages: readonly unknown[],
): Promise<number> {
  const measure = createMeasure({ counter: await exactCounter("o200k_base") });
  const head =
    system === undefined ? 0 : measure.text(typeof system === "string" ? system : JSON.stringify(system));
  return messages.reduce<number>(
    (sum, message) => sum + measure.message(wire.dialect.read(message)),
    measure.tools(tools) + head,
  );
}

async function cleared({ wire }: Exchange, asked: Exchange["asked"], { edits }: NativeWish) {
  if (edits.length === 0) return { messages: asked.transcript, applied: [] };
  const counter = await exactCounter("o200k_base");
  const input = await tokensOf(wire, asked, asked.transcript);
  return clearEdits(asked.transcript, edits, { input, of: (text) => counter.count(text) });
}
