/**
 * Counting tokens: exactly, roughly, for whole messages, and by the provider's own numbers.
 *
 * @example
 * import { createMeasure, exactCounter } from "precis/tokens";
 *
 * const measure = createMeasure({ counter: await exactCounter("o200k_base") });
 * measure.message({ role: "user", parts: [{ type: "text", text: "Hello, world!" }] }); // 8
 */

/** Characters divided by a number. */
export { charsCounter } from "./chars-counter.ts";
/** Learns a factor per model from what the provider reports. */
export {
  type Calibration,
  type CalibrationJson,
  createCalibration,
  type Observation,
} from "./create-calibration.ts";
/** Counts whole messages and tool schemas with any counter. */
export { createMeasure, MESSAGE_TOKENS, type MeasureOptions } from "./create-measure.ts";
/** OpenAI's tokenizer, loaded on first use. */
export { type Encoding, exactCounter } from "./exact-counter.ts";
/** Pixel size from a picture's header. */
/** What a picture costs by a provider's formula. */
export { type ImageFormula, imageSize, imageTokens } from "./image-tokens.ts";
/** Window, prices and tokenizer of a model. */
export { modelInfo } from "./model-info.ts";
/** What compactions saved and cost. */
export {
  type AnsweredRequest,
  compactionReceipts,
  type Receipt as CompactionReceipt,
  type Receipts as CompactionReceipts,
} from "./receipts.ts";
