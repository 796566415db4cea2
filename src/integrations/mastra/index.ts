/**
 * Mastra: an input processor that fits every call of an agent's model. Memory stays whole.
 *
 * @module
 */

export type { IntegrationOptions } from "../shared/options.ts";
export { type InputStep, type LlmRequest, type PrecisProcessor, precisProcessor } from "./processor.ts";
