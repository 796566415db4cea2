/**
 * precis keeps any LLM conversation inside its token budget, for as long as it lasts, and loses nothing.
 *
 * @module
 * @example
 * ```ts
 * import { createCompactor, profiles } from "precis";
 * import { openaiChat } from "precis/dialects";
 *
 * const compactor = createCompactor({ dialect: openaiChat, window: 128_000, profile: profiles.agent });
 * const transcript = [{ role: "user", content: "Hello!" }];
 * const { messages, report } = await compactor.fit(transcript);
 * console.log(`${messages.length} messages, ${report.tokens.after} tokens`);
 * ```
 */

// A summary in the user's own words.
export { editedSummary } from "./core/checkpoint.ts";
// What can go wrong, and what to do about it.
export {
  BudgetImpossibleError,
  ClosedError,
  ConfigError,
  InvariantError,
  ModelError,
  type ModelFailure,
  PrecisError,
  StoreError,
  TranscriptError,
} from "./core/errors.ts";
// Every type of the public surface.
export type * from "./core/types.ts";
// The one entry point.
export { createCompactor } from "./engine/create-compactor.ts";
// The strategies, by name, with what a person reads.
export { strategies } from "./engine/settings/settings.ts";
// Named sets of options.
export { profiles } from "./profiles/index.ts";
// Where checkpoints live between calls.
export { memoryStore } from "./stores/memory.ts";
