/**
 * LangChain.js and LangGraph: a middleware in the shape of `summarizationMiddleware` that leaves the agent's state whole, and a
 * chat model as a summariser.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { langchainMessages } from "./dialect.ts";
export {
  type LangChainOptions,
  type ModelCallRequest,
  type PrecisLangChainMiddleware,
  precisMiddleware,
} from "./middleware.ts";
export { type LangChainChatModel, langchainModel } from "./model.ts";
export type { ContextSize, TriggerAndKeep } from "./settings.ts";
export type { LangChainMessage } from "./wire.ts";
