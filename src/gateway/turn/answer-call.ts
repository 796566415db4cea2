import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { Compactor, TokenCounter, ToolCallPart } from "../../core/types.ts";
import { type RecallTool, recallTool } from "../../recall/recall-tool.ts";
import { measureOf } from "../compaction/measure.ts";
import { loggable } from "../telemetry/log.ts";
import { hostedName } from "../wires/hosted-tools.ts";
import { loadedTools } from "../wires/shared/loaded-tools.ts";
import { compactForModel } from "./compact-for-model.ts";
import type { HostedTurn } from "./hosted-turn.ts";
import type { Turn, TurnParts } from "./turn.ts";

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

type Answer = (parts: TurnParts, turn: Turn, hosted: HostedTurn, call: ToolCallPart) => Promise<string>;

const answers: Readonly<Record<HostedToolName, Answer>> = {
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
};

/** Answers a call of one of precis's own tools. Never throws: the conversation is worth more than the tool. */
export async function answerCall(
  parts: TurnParts,
  turn: Turn,
  options: { readonly tool: HostedToolName; readonly hosted: HostedTurn; readonly call: ToolCallPart },
): Promise<string> {
  const { tool, hosted, call } = options;
  const { log } = parts;
  turn.told.happened({ type: "tool-call", tool });
  try {
    return await answers[tool](parts, turn, hosted, call);
  } catch (error) {
    log.warn({ ...loggable(error), tool }, "a call of precis's own tool failed");
    return FAILED;
  }
}
