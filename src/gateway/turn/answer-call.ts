import type { HostedToolName } from "../../config/gateway-schema.ts";
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
import { loggable } from "../telemetry/log.ts";
import { loadedTools } from "../wires/client-words.ts";
import { hostedName } from "../wires/gateway-tools.ts";
import { noteFit, sentKeys } from "./fit.ts";
import type { HostedTurn, Turn, TurnParts } from "./turn.ts";

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
export async function compactAsPromised(parts: WishParts, turn: Turn): Promise<void> {
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
