import type { Steps } from "../core/steps.ts";
import type { Measure, Message, Part, TokenCounter } from "../core/types.ts";
import type { SteppedCounter } from "./exact-counter.ts";

/** Shorter texts are counted at once (characters). */
const LONG_TEXT_CHARS = 32_768;

/** Counts the long texts of a message in steps, where its counter can do that: `measure.message` knows them from then on. */
export function* countLongTexts(
  { counter }: Pick<Measure, "counter">,
  message: Message,
  /** What holds its texts: their counts are known for at least as long. */
  owner: object = message,
): Steps<void> {
  if (!isStepped(counter)) return;
  for (const part of message.parts) {
    const text = countedText(part);
    if (text !== undefined && text.length > LONG_TEXT_CHARS) yield* counter.countFor(owner, text);
  }
}

/** Tokens of a text as `measure.text` counts them, a long one in steps where its counter can do that. */
export function* textTokens(
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

/** What of a part is counted as a text. */
function countedText(part: Part): string | undefined {
  switch (part.type) {
    case "tool-call":
      return part.args;
    case "other":
      return part.json;
    case "image":
    case "frame":
      return undefined;
    default:
      return part.text;
  }
}
