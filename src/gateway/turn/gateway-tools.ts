import { type Json, listOf } from "../../apis/shared/fields.ts";
import type { ToolHosting } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { hiddenAnswersIn, type ShownAnswer } from "../conversation/hidden-answers.ts";
import { loggable } from "../telemetry/log.ts";
import { hostedTool } from "../wires/gateway-tools.ts";
import { hideRounds, withHiddenRounds } from "../wires/hidden-rounds.ts";
import type { Wire } from "../wires/index.ts";
import { compactAsPromised, type WishParts } from "./gateway-calls.ts";
import {
  type Exchange,
  HostedTurn,
  type ToolsOff,
  type Translation,
  type Turn,
  type TurnParts,
} from "./turn.ts";

/**
 * The request with the tools of precis's own that its conversation has, and with what the model did with them before. They are
 * offered from the first request on: tools stand at the front of the prompt cache. Most requests have none, which is known at once.
 */
export function withOwnTools(parts: TurnParts, exchange: Exchange): Exchange | Promise<Exchange> {
  const tools = toolsOf(parts, exchange);
  if (tools.length === 0) return exchange;
  const off = refusalOf(exchange, tools);
  if (off !== undefined) {
    if (off !== "not-seen") parts.log.warn({ reason: off, tools }, "precis's own tools aren't offered");
    return { ...exchange, toolsOff: off };
  }
  return offer(parts, { ...exchange, hosted: new HostedTurn(tools) }, tools);
}

function toolsOf(
  { config }: Pick<TurnParts, "config">,
  { options }: Pick<Exchange, "options">,
): readonly HostedToolName[] {
  return options.tools ?? config.tools ?? [];
}

function refusalOf(exchange: Exchange, tools: readonly HostedToolName[]): ToolsOff | undefined {
  const { isUntouched, isObserved, options, opening } = exchange;
  if (isUntouched || isObserved || options.off) return "not-seen";
  // What the model did with them is kept beside the transcript.
  return opening ? refusalBy(exchange, tools) : "no-store";
}

/** Why a request can't have the tools, whatever becomes of it. */
function refusalBy(
  { wire, body, asked, path }: Pick<Exchange, "wire" | "body" | "asked" | "path">,
  tools: readonly HostedToolName[],
): ToolsOff | undefined {
  if (!wire.hosting) return "unsupported-api";
  if (wire.hosting.forcesAny(body) && listOf(asked.tools).length === 0) return "no-other-tool";
  return wire.hosting.refusal(body, new HostedTurn(tools).isHosted, path);
}

/** A request that is only counted, with its tools. It belongs to no conversation, so what a person set for one isn't known. */
export function countedWithTools(
  parts: Pick<TurnParts, "config" | "recorder">,
  counted: Pick<Exchange, "wire" | "body" | "asked" | "path" | "options" | "upstream">,
): Json {
  const tools = toolsOf(parts, counted);
  if (tools.length === 0 || !parts.recorder || refusalBy(counted, tools) !== undefined) return counted.body;
  return counted.wire.hosting!.offer(counted.body, tools.map(hostedTool));
}

async function offer(
  parts: TurnParts,
  exchange: Exchange,
  tools: readonly HostedToolName[],
): Promise<Exchange> {
  const transcript = withCopies(exchange.asked.transcript, await answersBefore(parts, exchange));
  return offerTools(parts, exchange, tools, transcript);
}

async function answersBefore(
  { store, memory, spill, log }: Pick<TurnParts, "store" | "memory" | "spill" | "log">,
  { recording, opening, client }: Exchange,
): Promise<readonly ShownAnswer[]> {
  if (recording?.isFirst || !opening) return [];
  const onFailure = (error: unknown) =>
    log.warn(loggable(error), "what the model recalled before can't be read; this node's memory has to do");
  try {
    const hasUnstored = spill !== undefined && spill.waiting > 0;
    const parts = { store: store.conversations, memory, hasUnstored, onFailure };
    return await hiddenAnswersIn(parts, { tenant: client.tenant, recording, opening });
  } catch (error) {
    log.warn(loggable(error), "what the model recalled before can't be read; it is left out");
    return [];
  }
}

/** Copies by the client's own message, which comes again as the same object: what is known of them is known again. */
const copies = new WeakMap<
  object,
  { readonly real: readonly unknown[]; readonly copies: readonly object[] }
>();

/** Messages that the provider's own compaction would have changed by now aren't what the model was shown. */
function withCopies(transcript: readonly unknown[], answers: readonly ShownAnswer[]): readonly unknown[] {
  if (answers.length === 0) return transcript;
  const messages = [...transcript];
  for (const { shown, real } of answers) {
    const [first] = shown;
    const from = transcript.indexOf(first);
    if (!first || from < 0 || shown.some((one, at) => transcript[from + at] !== one)) continue;
    const known = copies.get(first);
    const isSame = known?.real === real && known.copies.length === shown.length;
    const made = isSame ? known.copies : hideRounds(shown, real);
    copies.set(first, { real, copies: made });
    messages.splice(from, made.length, ...made);
  }
  return messages;
}

/** The turn with tools of precis's own, and with what the model did with them before. Its API and its upstream's can carry them. */
export async function offerTools<T extends Turn>(
  parts: WishParts,
  turn: T,
  tools: readonly HostedToolName[],
  /** With copies in place of answers of which whoever asks was shown only a part. */
  transcript: readonly unknown[],
): Promise<T> {
  const { wire, body, translation } = turn;
  const hosting = wire.hosting!;
  const ready: T = {
    ...withTranscript(turn, hosting.offer(body, tools.map(hostedTool)), transcript),
    ...(translation
      ? { translation: offering(wire, translation, tools) }
      : { withHidden: hiding(wire, hosting) }),
  };
  await compactAsPromised(parts, ready);
  return ready;
}

export function withTranscript<T extends Turn>(turn: T, body: Json, transcript: readonly unknown[]): T {
  const { wire, asked } = turn;
  const hosting = wire.hosting!;
  const whole = { ...body, [wire.fields.messages]: transcript };
  const hidden = hiding(wire, hosting)(whole);
  const bytes = Buffer.from(stringifyDeep(wire.withLoopThinking?.(hidden) ?? hidden));
  return {
    ...turn,
    body: whole,
    asked: { ...asked, transcript, tools: whole["tools"] },
    bytes,
    plain: bytes,
    isRewritten: true,
  };
}

function hiding(wire: Pick<Wire, "dialect" | "fields">, hosting: ToolHosting): (body: Json) => Json {
  return (body) => ({
    ...body,
    [wire.fields.messages]: withHiddenRounds(wire.dialect, hosting, listOf(body[wire.fields.messages])),
  });
}

/** A translation of views that may hold hidden rounds, with the tools behind it. */
function offering(
  { dialect, hosting }: Wire,
  { wire, write }: Translation,
  tools: readonly HostedToolName[],
): Translation {
  return {
    wire,
    write: ({ messages, system }) =>
      wire.hosting!.offer(
        write({ messages: withHiddenRounds(dialect, hosting!, messages), system }),
        tools.map(hostedTool),
      ),
  };
}
