import { CITATION } from "../citation-form.ts";
import { CODE, citedNumbers } from "../citations.ts";

/** A citation as a text writes it. */
export interface FoundCitation {
  /** The same for every way of writing the same citation: `3`, `^4`. */
  readonly key: string;
  /** How it is written alone: `[3]`, `[^4]`, `【7†source】`. */
  readonly text: string;
}

/** Longer "ranges" are something else. */
const MAX_RANGE = 30;
const RANGE_JOINER = /^\s?[–-]\s?$/;

/**
 * The citations of a text of prose, in order, each once. `[3]–[5]` names three. Code is left out: `rows[3]` is no
 * citation.
 */
export function findCitations(text: string): FoundCitation[] {
  if (!text.includes("[") && !text.includes("【")) return [];
  const prose = text.replace(CODE, " ");
  const found = new Map<string, FoundCitation>();
  const add = (key: string, form = `[${key}]`): void => {
    if (!found.has(key)) found.set(key, { key, text: form });
  };
  let end = 0;
  let last = Number.NaN;
  for (const match of prose.matchAll(CITATION)) {
    const keys = citedNumbers(match);
    const first = Number(keys[0]);
    // NaN for footnotes, which aren't counted through.
    if (RANGE_JOINER.test(prose.slice(end, match.index)) && first - last <= MAX_RANGE)
      for (let number = last + 1; number < first; number++) add(String(number));
    for (const key of keys) add(key, match[0].startsWith("【") ? match[0] : undefined);
    end = match.index + match[0].length;
    last = Number(keys.at(-1));
  }
  return [...found.values()];
}
