import type { HostedToolName } from "../../config/gateway-schema.ts";
import type { Compactor, ToolCallPart } from "../../core/types.ts";
import { COMPACT_TOOL } from "../../recall/compact-tool.ts";
import { RECALL_TOOL, type RecallTool, recallTool } from "../../recall/recall-tool.ts";
import { loggable } from "../telemetry/log.ts";
import type { HostedTool } from "../wires/hosting.ts";
import { loadedTools } from "../wires/shared/loaded-tools.ts";
import { compactForModel } from "./compact-for-model.ts";
import type { Exchange } from "./exchange.ts";
import { type HostedTurn, hostedName } from "./hosted-turn.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Stands for whatever went wrong; the log says more. */
const FAILED = "That isn't possible right now. Go on without it.";

/** One for each compactor, because it holds the index of its conversations. */
const recallTools = new WeakMap<Compactor<unknown>, RecallTool<unknown>>();

function recallOf(compactor: Compactor<unknown>): RecallTool<unknown> {
  const known = recallTools.get(compactor);
  const tool = known ?? recallTool(compactor, { name: hostedName("recall") });
  if (!known) recallTools.set(compactor, tool);
  return tool;
}

type Answer = (parts: V1Parts, exchange: Exchange, hosted: HostedTurn, call: ToolCallPart) => Promise<string>;

/** What answers the calls of each tool. */
const answers: Readonly<Record<HostedToolName, Answer>> = {
  recall: (_parts, { compactors, choice, asked, pins, startedAt }, _hosted, { args }) =>
    recallOf(compactors.of(choice)).execute(args, {
      transcript: asked.transcript,
      system: asked.system,
      tools: loadedTools(asked),
      pins,
      now: startedAt,
    }),
  compact: (parts, exchange, { real }, { args }) => compactForModel(parts, exchange, real, args),
};

/** A tool as models are told of it. */
export function hostedTool(tool: HostedToolName): HostedTool {
  const { description, parameters } = DESCRIBED[tool];
  return { name: hostedName(tool), description, parameters };
}

const DESCRIBED: Readonly<Record<HostedToolName, Pick<HostedTool, "description" | "parameters">>> = {
  recall: RECALL_TOOL,
  compact: COMPACT_TOOL,
};

/** Answers a call. Never throws: the conversation is worth more than the tool. */
export async function answerCall(
  parts: V1Parts,
  exchange: Exchange,
  {
    tool,
    hosted,
    call,
  }: { readonly tool: HostedToolName; readonly hosted: HostedTurn; readonly call: ToolCallPart },
): Promise<string> {
  const { log, metrics } = parts;
  metrics.hostedCalls.inc({ tool });
  try {
    return await answers[tool](parts, exchange, hosted, call);
  } catch (error) {
    log.warn({ ...loggable(error), tool }, "a call of precis's own tool failed");
    return FAILED;
  }
}
