/**
 * Where checkpoints and summaries live between calls. This one is in memory and runs everywhere; the databases that a
 * server needs are in `@precis/gateway/stores`.
 *
 * @example
 * import { createCompactor } from "precis";
 * import { openaiChat } from "precis/dialects";
 * import { memoryStore } from "precis/stores";
 *
 * const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, store: memoryStore({ maxRecords: 50 }) });
 */

/** The default store: bounded, and gone when the process ends. */
export { memoryStore } from "./memory.ts";
