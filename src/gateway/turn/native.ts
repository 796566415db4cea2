import type { Json } from "../../apis/shared/fields.ts";
import {
  type Cleared,
  type MadeSummary,
  type NativeCompaction,
  type NativeWish,
  NO_WISH,
  summaryText,
} from "../../apis/shared/native.ts";
import { TranscriptError } from "../../core/errors.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { InsertMessage, Measure } from "../../core/types.ts";
import { measureOf } from "../compaction/measure.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { RequestFault } from "../http/request-fault.ts";
import { INERT, sendJson } from "../http/send-json.ts";
import { called } from "../upstream/upstream-fault.ts";
import { loadedTools, type Wire, type WireRequest } from "../wires/index.ts";
import { reportHeaders } from "./answer.ts";
import { recordAnswer } from "./commit.ts";
import { sentKeys } from "./fit.ts";
import type { Exchange, TurnParts } from "./turn.ts";

/** Carries out the provider's own compaction for an upstream that has none. Undefined: the request is answered already. */
async function emulate(
  parts: TurnParts,
  exchange: Exchange,
  native: NativeCompaction,
  wish: NativeWish,
): Promise<Exchange | undefined> {
  const { wire } = exchange;
  const body = native.plain(exchange.body);
  const asked = wire.read(body, exchange.path);
  const summed = { ...exchange, asked };
  if (wish.summarize) {
    checkSummable(wire, native, asked.transcript);
    const made = await makeSummary(parts, summed, asked.transcript, wish.instructions);
    return answerWith(parts, exchange, native, made);
  }
  const measure = await measureOf(parts, exchange.choice);
  const { messages, applied } = clearedBy(wire, measure, asked, wish.edits);
  const over =
    wish.threshold !== undefined &&
    inputTokens(wire, measure, { ...asked, transcript: messages }) >= wish.threshold;
  const made = over ? await makeSummary(parts, summed, messages, wish.instructions) : undefined;
  const edits = wish.edits.length > 0 ? { appliedEdits: applied } : {};
  if (made && wish.pauses) return answerWith(parts, { ...exchange, ...edits }, native, made);
  const shown = made ? [wire.dialect.write(summaryMessage(made)), ...lastTurn(wire, messages)] : messages;
  const next =
    made || applied.length > 0
      ? wire.write(body, { messages: native.lead(shown), system: asked.system })
      : body;
  const bytes = Buffer.from(stringifyDeep(next));
  return {
    ...exchange,
    body: next,
    bytes,
    plain: bytes,
    asked: wire.read(next, exchange.path),
    isRewritten: true,
    isEmulated: true,
    ...(made && { announcement: native.announce(made) }),
    ...edits,
  };
}

/** Refuses what no summary can be made of, in the words of the API. */
function checkSummable(wire: Wire, { needsResults }: NativeCompaction, transcript: readonly unknown[]): void {
  if (transcript.length === 0)
    throw new RequestFault(
      400,
      "compaction_nothing_to_summarize",
      "precis: there is nothing to summarise: the request holds no messages.",
    );
  const last = wire.dialect.read(transcript.at(-1));
  if (needsResults && last.parts.some(({ type }) => type === "tool-call"))
    throw new RequestFault(
      400,
      "compaction_incomplete_turn",
      "precis: the last message calls a tool that hasn't answered yet. Send its result first.",
    );
}

/** An answer that is nothing but the summary. */
async function answerWith(
  parts: TurnParts,
  exchange: Exchange,
  native: NativeCompaction,
  made: MadeSummary,
): Promise<undefined> {
  const { wire, response, body, appliedEdits } = exchange;
  const { json, events } = native.answer(made, { body, applied: appliedEdits });
  exchange.record.action = "compacted";
  await recordAnswer(parts, exchange, wire.readAnswer(json));
  const headers = reportHeaders(exchange, { action: "compacted", report: undefined });
  if (!exchange.asked.streamed) sendJson(response, 200, json, headers);
  else {
    response.writeHead(200, { "content-type": "text/event-stream", ...INERT, ...headers });
    response.end(
      events.map((event) => `event: ${String(event["type"])}\ndata: ${stringifyDeep(event)}\n\n`).join(""),
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

/** The provider's own compaction: forwarded where the upstream has it, carried out here where not. Most requests ask for none. */
export function prepareNative(
  parts: TurnParts,
  exchange: Exchange,
): Exchange | Promise<Exchange | undefined> {
  const { native } = exchange.wire;
  const wish = native?.wish(exchange.body) ?? NO_WISH;
  const { isNative } = exchange.upstream;
  if (exchange.options.off || parts.config.observe) return exchange;
  // What stands on something that only the upstream has can't be looked into.
  const isPartial = exchange.goesOnFrom?.isRebuilt === false || exchange.wire.isPartial?.(exchange.body);
  if (isPartial || (isNative && wish.isNative)) return { ...exchange, isUntouched: true };
  if (isNative) return exchange;
  // Anthropic's own clients then send all of their messages, as they would without threads.
  if (wish.isThread)
    throw new RequestFault(
      400,
      "thread_unsupported_request",
      `precis: ${called(exchange.upstream.name)} keeps no message threads. Send all messages, without \`thread\`.`,
    );
  if (!native || (!wish.isNative && wish.edits.length === 0)) return exchange;
  return carryOut(parts, exchange, native, wish);
}

async function carryOut(
  parts: TurnParts,
  exchange: Exchange,
  native: NativeCompaction,
  wish: NativeWish,
): Promise<Exchange | undefined> {
  try {
    return await emulate(parts, exchange, native, wish);
  } catch (error) {
    // What can't be read is the upstream's to refuse.
    if (!(error instanceof TranscriptError) || exchange.response.headersSent) throw error;
    return { ...exchange, isUntouched: true };
  }
}

export function inputTokens(wire: Wire, measure: Measure, asked: WireRequest): number {
  const { system, transcript } = asked;
  const isThere = system !== undefined && system !== null;
  const head = isThere ? measure.text(typeof system === "string" ? system : stringifyDeep(system)) : 0;
  return transcript.reduce<number>(
    (sum, message) => sum + measure.message(wire.dialect.read(message)),
    measure.tools(loadedTools(asked)) + head,
  );
}

/** A request's messages after the edits of the provider's API that it asks for. */
export function clearedBy(wire: Wire, measure: Measure, asked: WireRequest, edits: readonly Json[]): Cleared {
  const clear = wire.native?.clear;
  if (edits.length === 0 || !clear) return { messages: asked.transcript, applied: [] };
  return clear(asked.transcript, edits, {
    input: inputTokens(wire, measure, asked),
    tokensOf: (text) => measure.text(text),
    needsThinking: (message) => needsThinking(wire, asked.model, message),
  });
}

/** Does the upstream want the thinking of this message back? Anthropic's own may leave. */
function needsThinking({ dialect }: Wire, model: string, message: unknown): boolean {
  const { reasoning, boundReasoning } = { ...dialect.rules, ...dialect.reasoningOf?.(model) };
  const { parts } = dialect.read(message);
  if (reasoning === "free" || reasoning === "open-loop" || !parts.some(({ type }) => type === "tool-call"))
    return false;
  return !(boundReasoning && parts.some((part) => part.type === "reasoning" && part.signed));
}

/** A summary that stands for a whole conversation may be this long (tokens). */
const SUMMARY_CAP = 4_096;

/** What summaries for clients are made with. */
type SummaryParts = Pick<TurnParts, "compactors" | "now">;

export async function makeSummary(
  { compactors, now }: SummaryParts,
  exchange: Pick<Exchange, "client" | "headers" | "wire" | "upstream" | "asked" | "signal" | "record">,
  transcript: readonly unknown[],
  instructions: string | undefined,
): Promise<MadeSummary> {
  const { client, wire, upstream, asked, signal, record } = exchange;
  const compactor = compactors.of({ tenant: client.tenant, wire, upstream, model: asked.model });
  const { text, tokens, report } = await onBehalfOf({ sent: sentKeys(exchange) }, () =>
    compactor.summarize(transcript, {
      system: asked.system,
      cap: SUMMARY_CAP,
      form: "record",
      ...(instructions !== undefined && { focus: instructions }),
      signal,
    }),
  );
  record.happened({ type: "summarised", report, tokens });
  // What models were really paid for: nothing where none was asked, all calls where the first ones failed.
  const spent = (field: "input" | "output") =>
    report.modelCalls.reduce((sum, { usage }) => sum + (usage?.[field] ?? 0), 0);
  return {
    model: asked.model,
    text,
    input: spent("input"),
    output: spent("output"),
    cacheRead: report.modelCalls.reduce((sum, { usage }) => sum + (usage?.cacheRead ?? 0), 0),
    at: now(),
  };
}
