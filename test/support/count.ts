import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Dialect } from "../../src/core/types.ts";
import { createMeasure, exactCounter } from "../../src/tokens/index.ts";

export const measure = createMeasure({ counter: await exactCounter("o200k_base") });

const MEMO_ENTRIES = 20_000;

/** Tokens by the plain library call, with no code of precis between; special tokens count as text. */
export function plainTokens(text: string): number {
  const known = plainMemo.get(text);
  if (known !== undefined) return known;
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  if (plainMemo.size >= MEMO_ENTRIES) plainMemo.clear();
  plainMemo.set(text, tokens);
  return tokens;
}
const plainMemo = new Map<string, number>();

/** Counts wire messages of one dialect. Remembers by object, since frozen transcripts are counted at many budgets. */
export function counterOf(dialect: Dialect<object>): (message: unknown) => number {
  const memo = new WeakMap<object, number>();
  return (message) => {
    const object = message as object;
    let tokens = memo.get(object);
    if (tokens === undefined) {
      tokens = measure.message(dialect.read(object));
      memo.set(object, tokens);
    }
    return tokens;
  };
}
