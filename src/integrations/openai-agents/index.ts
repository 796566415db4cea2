/**
 * The OpenAI Agents SDK: a filter that fits every call of a model, and a session that stores everything and shows a view.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { type AgentItem, agentItems } from "./dialect.ts";
export type { Beside } from "./fitter.ts";
export { type FilterArgs, type FilteredInput, precisInputFilter } from "./input-filter.ts";
export {
  type AgentSession,
  type PrecisSession,
  type PrecisSessionOptions,
  precisSession,
} from "./session.ts";
