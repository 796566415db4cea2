import { plainText } from "./message-text.ts";
import { termsOf } from "./terms.ts";
import type { ScoredView } from "./types.ts";
import { indexWords } from "./words.ts";

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The view with what the measures need of it, each made at most once. */
export function scoredView(text: string): ScoredView {
  return {
    text,
    words: once(() => indexWords(text)),
    terms: once(() => new Set(termsOf(plainText(text)))),
  };
}
