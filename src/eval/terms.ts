/**
 * Terms: every run of word and path characters, and its pieces. Unlike anchors they have no preferred shape, so a
 * method can't do well on them by knowing what an anchor looks like.
 */

const RUN = /[A-Za-z0-9_/.~@$-]{4,}/g;
/** Shorter pieces are noise. */
const SHORTEST = 4;
const PLAIN = /^[a-z]+$/;
const CAMEL_BORDER = /(?<=[a-z0-9])(?=[A-Z])/;

/** The terms of a text, in order, with repetitions. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [match] of text.matchAll(RUN)) {
    const run = match.replace(/^[.-]+|[.-]+$/g, "");
    if (run.length < SHORTEST) continue;
    terms.push(run);
    if (PLAIN.test(run)) continue;
    const base = run.slice(run.lastIndexOf("/") + 1);
    if (base !== run && base.length >= SHORTEST) terms.push(base);
    for (const piece of run.split(/[^A-Za-z0-9]+/).flatMap((part) => part.split(CAMEL_BORDER))) {
      const word = piece.toLowerCase();
      if (word.length >= SHORTEST && word !== run) terms.push(word);
    }
  }
  return terms;
}

/** A lower-case word of letters only. */
export function isPlainWord(term: string): boolean {
  return PLAIN.test(term);
}
