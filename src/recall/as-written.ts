import { characterClass, DENSE } from "../summaries/characters.ts";
import { termsOf } from "./terms.ts";

const RUN = /[\p{L}\p{M}\p{N}]+(?:[-./~@$_]+[\p{L}\p{M}\p{N}]+)*/gu;

/** The words of a text by their terms: people are shown `invoices`, where an index knows `invoic`. */
export function asWritten(text: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const [run] of text.matchAll(RUN)) {
    // Where nothing stands between words, a run is a whole sentence: there a term is shown as it is.
    if (characterClass(run.charCodeAt(0)) === DENSE) continue;
    for (const term of termsOf(run)) if (!words.has(term)) words.set(term, run);
  }
  return words;
}
