/**
 * The AI SDK (versions 5, 6 and 7): a middleware for any language model, a `prepareStep`, `compact()`, and
 * compactions as data parts of a chat.
 *
 * @module
 * @example
 * import { precisMiddleware } from "precis/ai-sdk";
 *
 * const middleware = precisMiddleware({ window: 128_000 });
 * // const model = wrapLanguageModel({ model: openai("gpt-5"), middleware });
 */

export type { IntegrationOptions } from "../shared/options.ts";
export {
  type Compacted,
  type CompactionData,
  type CompactionPart,
  type CompactionPartOptions,
  type CompactOptions,
  compact,
  compactionPart,
  type PartWriter,
  stateOfChat,
  writeCompaction,
} from "./compact.ts";
export {
  type CallParams,
  type MiddlewareCall,
  type PrecisMiddleware,
  type PrecisMiddlewareOptions,
  precisMiddleware,
} from "./middleware.ts";
export { type PreparedStep, type PrepareStepOptions, precisPrepareStep, type Step } from "./prepare-step.ts";
