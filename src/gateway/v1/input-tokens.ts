import type { Json } from "../../apis/shared/fields.ts";
import type { Cleared } from "../../apis/shared/native.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import type { Measure } from "../../core/types.ts";
import { loadedTools } from "../wires/shared/loaded-tools.ts";
import type { Wire, WireRequest } from "../wires/wire.ts";

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
