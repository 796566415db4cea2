/** More edits than this, or than a third of the word, and it is another word. */
const MAX_EDITS = 3;

/** The known word that a mistyped one most likely stands for. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(MAX_EDITS, Math.max(1, Math.ceil(word.length / 3))) + 1;
  for (const candidate of known) {
    // Each character too many is an edit: a word of megabytes is like none of these, and needn't be compared.
    if (Math.abs(candidate.length - word.length) >= least && !candidate.startsWith(word)) continue;
    const edits = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (edits < least) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, before[j - 2]! + 1);
      current.push(edits);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
