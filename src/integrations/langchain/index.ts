/**
 * LangChain.js and LangGraph: a middleware in the shape of `summarizationMiddleware` that leaves the agent's state whole, and a
 * chat model as a summariser.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export type { LangChainMessage } from "./dialect.ts";
export { langchainMessages } from "./dialect.ts";
export type { ContextSize, TriggerAndKeep } from "./middleware.ts";
export {
  type LangChainChatModel,
  type LangChainOptions,
  langchainModel,
  type ModelCallRequest,
  type PrecisLangChainMiddleware,
  precisMiddleware,
} from "./middleware.ts";
