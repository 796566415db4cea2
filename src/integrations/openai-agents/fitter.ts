import type { FitResult } from "../../core/types.ts";
import { createCompactors, type IntegrationOptions } from "../shared/options.ts";
import { type AgentItem, agentItems } from "./dialect.ts";

/** What a request holds beside its items. */
export interface Beside {
  readonly model?: string | undefined;
  readonly instructions?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
}

/** Makes views of items. */
export type Fitter = <I extends AgentItem>(items: readonly I[], beside: Beside) => Promise<FitResult<I>>;

/** One compactor behind a session or a filter. */
export function createFitter(options: IntegrationOptions<AgentItem>): Fitter {
  const compactors = createCompactors(agentItems, options);
  let { state } = options;
  return async <I extends AgentItem>(items: readonly I[], { model, instructions, tools }: Beside) => {
    const view = await compactors.of(model).fit<I>(items, { state, system: instructions, tools });
    if (options.state !== undefined) state = view.state;
    options.onView?.(view);
    return view;
  };
}
