import { type Json, listOf } from "../../apis/shared/fields.ts";
import type { ToolHosting } from "../../apis/shared/hosting.ts";
import type { GatewayConfig, HostedToolName } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Compactor, TokenCounter, ToolCallPart } from "../../core/types.ts";
import {
  type CompactWish,
  compactByWish,
  compactedText,
  compactWish,
  isBound,
  JUST_COMPACTED,
} from "../../recall/compact-tool.ts";
import { type RecallTool, recallTool } from "../../recall/recall-tool.ts";
import { measureOf } from "../compaction/measure.ts";
import { onBehalfOf } from "../compaction/on-behalf.ts";
import { hiddenAnswersIn, type ShownAnswer } from "../conversation/hidden-answers.ts";
import { loggable } from "../telemetry/log.ts";
import { hideRounds, hostedName, hostedTools, withHiddenRounds, withTools } from "../wires/gateway-tools.ts";
import { loadedTools, type Wire } from "../wires/index.ts";
import { deferralOf } from "./defer-tools.ts";
import { noteFit, sentKeys } from "./fit.ts";
import {
  type Exchange,
  HostedTurn,
  type ToolsOff,
  type Translation,
  type Turn,
  type TurnParts,
} from "./turn.ts";

/** What a request asks for goes before what was set for its upstream, and that before the config. */
export const wantedTools = (
  config: Pick<GatewayConfig, "tools">,
  { options, upstream }: Pick<Exchange, "options" | "upstream">,
): readonly HostedToolName[] => options.tools ?? upstream.config.tools ?? config.tools ?? NO_TOOLS;

const NO_TOOLS: readonly HostedToolName[] = [];

/**
 * The request with tools of precis's own, and with what the model did with them before. They are offered from the first request on:
 * tools stand at the front of the prompt cache.
 */
export async function withGatewayTools(
  parts: TurnParts,
  exchange: Exchange,
  wanted: readonly HostedToolName[],
): Promise<Exchange> {
  const off = refusalOf(exchange, wanted);
  if (off !== undefined) {
    if (off !== "not-seen")
      parts.log.warn({ reason: off, tools: wanted }, "precis's own tools aren't offered");
    return { ...exchange, toolsOff: off };
  }
  const deferral = wanted.includes("defer") ? await deferralOf(parts, exchange) : undefined;
  const isKept = typeof deferral === "string";
  const tools = isKept ? wanted.filter((tool) => tool !== "defer") : wanted;
  if (isKept && tools.length === 0) return { ...exchange, toolsOff: deferral };
  const hosted = new HostedTurn(tools);
  if (!isKept) hosted.deferral = deferral;
  const transcript = withCopies(exchange.asked.transcript, await answersBefore(parts, exchange));
  return offerTools(parts, exchange, hosted, transcript);
}

function refusalOf(exchange: Exchange, tools: readonly HostedToolName[]): ToolsOff | undefined {
  const { isUntouched, isObserved, options, opening } = exchange;
  if (isUntouched || isObserved || options.off) return "not-seen";
  // What the model did with them is kept beside the transcript.
  return opening ? refusalBy(exchange, tools) : "no-store";
}

/** Why a request can't have the tools, whatever becomes of it. */
function refusalBy(
  { wire: { hosting }, body, path }: Pick<Exchange, "wire" | "body" | "path">,
  tools: readonly HostedToolName[],
): ToolsOff | undefined {
  if (!hosting) return "unsupported-api";
  const declared = hosting.tools(body);
  if (hosting.choice(body) === "any" && declared.length === 0) return "no-other-tool";
  const { isHosted } = new HostedTurn(tools);
  return declared.some((tool) => isHosted(hosting.nameOf(tool))) ? "name-taken" : hosting.refusal(body, path);
}

/** A request that is only counted, with its tools. It belongs to no conversation, so what a person set for one isn't known. */
export async function countedWithTools(
  parts: Pick<TurnParts, "config" | "recorder" | "windows" | "compactors">,
  counted: Pick<
    Exchange,
    "wire" | "body" | "asked" | "path" | "options" | "upstream" | "choice" | "goesOnFrom"
  >,
): Promise<Json> {
  const { wire, body, asked } = counted;
  const tools = wantedTools(parts.config, counted);
  if (tools.length === 0 || !parts.recorder || refusalBy(counted, tools) !== undefined) return body;
  const deferral = tools.includes("defer") ? await deferralOf(parts, counted) : "few-tools";
  const own = tools.filter((tool) => tool !== "defer");
  if (typeof deferral === "string")
    return own.length > 0 ? withTools(wire.hosting!, body, hostedTools(own)) : body;
  deferral.see(wire.dialect, asked.transcript);
  return deferral.declared(body, hostedTools(own));
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
  hosted: HostedTurn,
  /** With copies in place of answers of which whoever asks was shown only a part. */
  transcript: readonly unknown[],
): Promise<T> {
  const { wire, body, translation, record } = turn;
  const { tools, deferral } = hosted;
  const hosting = wire.hosting!;
  const own = hostedTools(tools);
  deferral?.see(wire.dialect, withHiddenRounds(wire.dialect, hosting, transcript));
  if (deferral) record.deferred = deferral.spared;
  const ready: T = {
    ...withTranscript(turn, deferral?.declared(body, own) ?? withTools(hosting, body, own), transcript),
    hosted,
    ...(translation
      ? { translation: offering(wire, translation, tools) }
      : { withHidden: hiding(wire, hosting) }),
  };
  await compactAsPromised(parts, ready);
  return ready;
}

/** The turn with another transcript, as bytes with the rounds that its client wasn't shown. */
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
      withTools(
        wire.hosting!,
        write({ messages: withHiddenRounds(dialect, hosting!, messages), system }),
        hostedTools(tools),
      ),
  };
}

/** Stands for whatever went wrong; the log says more. */
const FAILED = "That isn't possible right now. Go on without it.";

/** One for each compactor, because it holds the index of its conversations. */
const recallTools = new WeakMap<Compactor<unknown>, RecallTool<unknown>>();

function recallOf(compactor: Compactor<unknown>, counter: TokenCounter): RecallTool<unknown> {
  const known = recallTools.get(compactor);
  const tool = known ?? recallTool(compactor, { name: hostedName("recall"), counter });
  if (!known) recallTools.set(compactor, tool);
  return tool;
}

type AnswerCall = (parts: TurnParts, turn: Turn, hosted: HostedTurn, call: ToolCallPart) => Promise<string>;

const answers: Readonly<Record<HostedToolName, AnswerCall>> = {
  recall: async (parts, { compactors, choice, asked, pins, startedAt }, _hosted, { args }) => {
    const { counter } = await measureOf(parts, choice);
    return recallOf(compactors.of(choice), counter).execute(args, {
      transcript: asked.transcript,
      system: asked.system,
      tools: loadedTools(asked),
      pins,
      now: startedAt,
    });
  },
  compact: (parts, turn, { real }, { args }) => compactForModel(parts, turn, real, args),
  defer: async (_parts, _turn, { deferral }, { args }) => deferral?.load(args) ?? FAILED,
};

/** Answers a call of one of precis's own tools. Never throws: the conversation is worth more than the tool. */
export async function answerCall(
  parts: TurnParts,
  turn: Turn,
  options: { readonly tool: HostedToolName; readonly hosted: HostedTurn; readonly call: ToolCallPart },
): Promise<string> {
  const { tool, hosted, call } = options;
  const { log } = parts;
  turn.record.happened({ type: "tool-call", tool });
  try {
    return await answers[tool](parts, turn, hosted, call);
  } catch (error) {
    log.warn({ ...loggable(error), tool }, "a call of precis's own tool failed");
    return FAILED;
  }
}

/** The model that asked waits for its summary, and so does whoever asked the model (milliseconds). */
const WAIT_MS = 20_000;
const LATER =
  "Noted: it will be compacted when this turn is over, because the reasoning of this turn is bound to everything before it.";

export type WishParts = Pick<TurnParts, "log" | "now">;

/** Carries out a compaction that the model asks for; where signed reasoning of its turn would change, at the next turn. */
async function compactForModel(
  parts: WishParts,
  turn: Turn,
  /** What the model said in this turn. */
  said: readonly unknown[],
  args: string,
): Promise<string> {
  const { asked, recording, compactors, choice } = turn;
  const wish = compactWish(args, asked.transcript.length);
  if (typeof wish === "string") return wish;
  const { dialect } = compactors.of(choice);
  if (!isBound(dialect, [...asked.transcript, ...said])) return carryOut(parts, turn, wish, WAIT_MS);
  if (recording) recording.known.compactWish = wish;
  return LATER;
}

/** Carries out what had to wait, if it hasn't to any more. A turn never waits for a summary: without one, code writes. */
async function compactAsPromised(parts: WishParts, turn: Turn): Promise<void> {
  const { asked, recording, compactors, choice } = turn;
  const wish = recording && !recording.isFirst ? recording.known.compactWish : undefined;
  if (!recording || !wish || isBound(compactors.of(choice).dialect, asked.transcript)) return;
  recording.known.compactWish = undefined;
  try {
    await carryOut(parts, turn, wish, 0);
  } catch (error) {
    turn.signal.throwIfAborted();
    // The turn itself is fitted as always.
    parts.log.warn(loggable(error), "a compaction that the model asked for failed");
  }
}

async function carryOut(parts: WishParts, turn: Turn, wish: CompactWish, waitMs: number): Promise<string> {
  const { compactors, choice, asked, pins, signal } = turn;
  const started = performance.now();
  const given = {
    system: asked.system,
    tools: loadedTools(asked),
    pins,
    now: parts.now(),
    signal,
  };
  const compacted = await onBehalfOf({ sent: sentKeys(turn) }, () =>
    compactByWish(compactors.of(choice), { transcript: asked.transcript, given, wish, waitMs }),
  );
  if (!compacted) return JUST_COMPACTED;
  noteFit(turn, compacted.report, performance.now() - started);
  return compactedText(compacted.report);
}
