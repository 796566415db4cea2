/**
 * For tests of hosts and of precis itself: builders of wire messages, a clock that stands still, and `checkView`, which
 * judges a view from the provider's side, and a fake provider that speaks the real wire formats over HTTP (in Node).
 * Nothing here needs a test runner; hostile transcripts for property tests are in `precis/testing/arbitraries`, which
 * needs `fast-check`.
 *
 * @example
 * import { createCompactor } from "precis";
 * import { dialectById } from "precis/dialects";
 * import { chat, checkView } from "precis/testing";
 * import { charsCounter, createMeasure } from "precis/tokens";
 *
 * const dialect = dialectById("openai-chat");
 * const counter = charsCounter();
 * const measure = createMeasure({ counter });
 * const transcript = [chat.user("Hi"), ...chat.round("read", { path: "a.ts" }, "…"), chat.user("Go on.")];
 * const result = await createCompactor({ dialect, budget: 4_000, counter }).fit(transcript);
 * const count = (message: unknown) => measure.message(dialect.read(message));
 * checkView({ dialect: "openai-chat", transcript, result, count }); // [] when all is well
 */

export {
  aiSdk,
  anthropic,
  type CallSpec,
  callId,
  chat,
  gemini,
  knowledge,
  type MessageBuilders,
  pin,
  type ResultSpec,
  responses,
  TINY_PNG,
} from "./builders.ts";
export { type CheckImpossibleInput, checkImpossible, FORMAT_MINIMUM } from "./check-impossible.ts";
export { type CheckViewInput, checkView, lastUserIndex } from "./check-view.ts";
export { deepFreeze } from "./deep-freeze.ts";
export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export * from "./fake-provider/index.ts";
export type { WireFacts, WireLink } from "./rules/facts.ts";
export { judgeWire, type WireFault, type WireJudgement, wireFacts } from "./rules/judge-wire.ts";
