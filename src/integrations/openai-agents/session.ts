import type { FitResult } from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { type AgentItem, agentItems } from "./dialect.ts";

/** A session of the Agents SDK. */
export interface AgentSession<I> {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<I[]>;
  addItems(items: I[]): Promise<void>;
  popItem(): Promise<I | undefined>;
  clearSession(): Promise<void>;
}

/** What `precisSession` takes: the options of every integration, and what else a request holds. */
export interface PrecisSessionOptions extends IntegrationOptions<AgentItem>, Beside {}

/** A session that stores everything and shows a view. */
export interface PrecisSession<I> extends AgentSession<I> {
  /** Everything that was ever said, word for word. */
  getTranscript(): Promise<I[]>;
}

/**
 * A session around another one: that one stores every item, and a run begins with a view of them that fits. Inside of a run use
 * `precisInputFilter` beside it, or alone.
 */
export function precisSession<I extends AgentItem>(
  session: AgentSession<I>,
  options: PrecisSessionOptions = {},
): PrecisSession<I> {
  const { model, instructions, tools, ...rest } = options;
  const fitter = createFitter(rest);
  return {
    getSessionId: () => session.getSessionId(),
    // Who asks for some items wants those, not a view.
    getItems: async (limit) =>
      limit === undefined
        ? (await fitter(await session.getItems(), { model, instructions, tools })).messages
        : session.getItems(limit),
    getTranscript: () => session.getItems(),
    addItems: (items) => session.addItems(items),
    popItem: () => session.popItem(),
    clearSession: () => session.clearSession(),
  };
}

/** What a request holds beside its items. */
export interface Beside {
  readonly model?: string | undefined;
  readonly instructions?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
}

/** Makes views of items. */
type Fitter = <I extends AgentItem>(items: readonly I[], beside: Beside) => Promise<FitResult<I>>;

/** One compactor behind a session or a filter. */
function createFitter(options: IntegrationOptions<AgentItem>): Fitter {
  const compactors = createCompactors(agentItems, options);
  let { state } = options;
  return async <I extends AgentItem>(items: readonly I[], { model, instructions, tools }: Beside) => {
    const view = await compactors.of(model).fit<I>(items, { state, system: instructions, tools });
    if (options.state !== undefined) state = view.state;
    options.onView?.(view);
    return view;
  };
}

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
