import type { Steps } from "../core/steps.ts";
import type { Measure, TokenCounter } from "../core/types.ts";
import type { SteppedCounter } from "./exact-counter.ts";

/** Shorter texts are counted at once (characters). */
const LONG_TEXT_CHARS = 32_768;

/** Tokens of a text as `measure.text` counts them, a long one in steps where its counter can do that. */
export function* textSteps(
  measure: Pick<Measure, "counter" | "text">,
  /** What holds the text: its count is known for at least as long. */
  owner: object,
  text: string,
): Steps<number> {
  const { counter } = measure;
  if (text.length > LONG_TEXT_CHARS && isStepped(counter)) yield* counter.countFor(owner, text);
  return measure.text(text);
}

function isStepped(counter: TokenCounter): counter is SteppedCounter {
  return "countFor" in counter;
}
