import type { IntegrationOptions } from "../shared/options.ts";
import type { AgentItem } from "./dialect.ts";
import { createFitter } from "./fitter.ts";

/** What the Agents SDK hands to a filter before each call of a model. */
export interface FilterArgs<I extends AgentItem> {
  readonly modelData: { readonly input: readonly I[]; readonly instructions?: string };
  readonly agent: { readonly model?: unknown; readonly tools?: readonly unknown[] };
}

/** What a filter answers. */
export interface FilteredInput<I extends AgentItem> {
  input: I[];
  instructions?: string;
}

/**
 * A `callModelInputFilter` for a runner or a run: every call of the model is sent a view that fits, also in the middle of a run. What the
 * session stores stays whole.
 *
 * @example
 * const filter = precisInputFilter({ window: 32_000 });
 * const { input } = await filter({
 *   modelData: { input: [{ type: "message", role: "user", content: "Hello!" }] },
 *   agent: { model: "gpt-4o", tools: [] },
 * });
 */
export function precisInputFilter(
  options: IntegrationOptions<AgentItem> = {},
): <I extends AgentItem>(args: FilterArgs<I>) => Promise<FilteredInput<I>> {
  const fitter = createFitter(options);
  return async <I extends AgentItem>({ modelData, agent }: FilterArgs<I>) => {
    const { instructions } = modelData;
    const view = await fitter(modelData.input, {
      model: typeof agent.model === "string" ? agent.model : undefined,
      instructions,
      tools: agent.tools?.map(wireOf),
    });
    const system = typeof view.system === "string" ? view.system : instructions;
    return { input: view.messages, ...(system !== undefined && { instructions: system }) };
  };
}

/** A tool as the wire carries it; the rest of it is code. */
function wireOf(tool: unknown): unknown {
  const { type, name, description, parameters } = tool as Readonly<Record<string, unknown>>;
  return { type, name, description, parameters };
}
