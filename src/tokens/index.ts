/**
 * Counting tokens: exactly, roughly, for whole messages, and by the provider's own numbers.
 *
 * @example
 * import { createMeasure, exactCounter } from "precis/tokens";
 *
 * const measure = createMeasure({ counter: await exactCounter("o200k_base") });
 * measure.message({ role: "user", parts: [{ type: "text", text: "Hello, world!" }] }); // 8
 */

export { charsCounter } from "./chars-counter.ts";
export { createMeasure, MESSAGE_TOKENS, type MeasureOptions } from "./create-measure.ts";
export { type Encoding, exactCounter } from "./exact-counter.ts";
export { type ImageFormula, imageTokens } from "./image-tokens.ts";
export { modelInfo } from "./model-info.ts";
