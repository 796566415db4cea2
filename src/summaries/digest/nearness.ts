/** Words that a text is about, in lower case; parts of compound names count by themselves. */
function wordsOf(text: string): Set<string> {
  const split = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replaceAll("_", " ");
  return new Set(split.toLowerCase().match(/\p{N}+|[\p{L}\p{N}]{3,}/gu) ?? []);
}

/**
 * How near texts are to a goal, 0 to 1: the share of the goal's words that they have, where words that few of the texts have
 * count for more.
 */
export function nearnessTo(goal: string, texts: readonly string[]): (text: string) => number {
  const wanted = wordsOf(goal);
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of wordsOf(text)) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  // A word that no text has can't tell texts apart.
  const weight = (word: string): number => {
    const count = counts.get(word) ?? 0;
    return count === 0 ? 0 : Math.log(1 + texts.length / count);
  };
  const total = [...wanted].reduce((sum, word) => sum + weight(word), 0);
  if (total === 0) return () => 0;
  return (text) => {
    const own = wordsOf(text);
    return [...wanted].reduce((sum, word) => sum + (own.has(word) ? weight(word) : 0), 0) / total;
  };
}
