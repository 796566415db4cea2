/**
 * The OpenAI Agents SDK: a filter that fits every call of a model, and a session that stores everything and shows a view.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { type AgentItem, agentItems } from "./dialect.ts";
export type { Beside } from "./session.ts";
export {
  type AgentSession,
  type FilterArgs,
  type FilteredInput,
  type PrecisSession,
  type PrecisSessionOptions,
  precisInputFilter,
  precisSession,
} from "./session.ts";
