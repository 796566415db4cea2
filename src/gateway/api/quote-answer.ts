import type { SearchHit } from "./conversation.ts";

const MOST_WORDS = 5;
const MOST_QUOTES = 4;
const SHORTEST_WORD = 3;
/** What a tool said is quoted less readily than what a person or the model said. */
const TOOL_WEIGHT = 0.6;

/** Words that stand in any question. */
const COMMON = new Set(
  "the and for was were are you your our his her its that this these those with what when where which who whom why how did does done has have had can could should would will from about into than then them they there their say said tell told know not but any all please give show say does just like let make".split(
    " ",
  ),
);

/** Longer runs of characters aren't words that anybody looks for (characters). */
const LONGEST_WORD = 200;

/** The words of a question that are worth looking for, longest first. */
export function keywords(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  const telling = words
    .filter((word) => word.length <= LONGEST_WORD)
    .map((word) => word.replace(/^[./-]+|[./-]+$/g, ""))
    .filter((word) => word.length >= SHORTEST_WORD && !COMMON.has(word));
  return [...new Set(telling)].sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
}

/** Messages that hold the most of the words, the newest first among equals. */
export function bestHits(found: readonly (readonly SearchHit[])[], before: number): readonly SearchHit[] {
  const byIndex = new Map<number, { readonly hit: SearchHit; score: number }>();
  for (const hits of found) {
    for (const hit of hits) {
      if (hit.index >= before) continue;
      const known = byIndex.get(hit.index);
      // A word that stands everywhere says little.
      const weight = 1 / Math.sqrt(hits.length);
      if (known) known.score += weight;
      else byIndex.set(hit.index, { hit, score: weight * (hit.role === "tool" ? TOOL_WEIGHT : 1) });
    }
  }
  return [...byIndex.values()]
    .sort((a, b) => b.score - a.score || b.hit.index - a.hit.index)
    .slice(0, MOST_QUOTES)
    .map(({ hit }) => hit)
    .sort((a, b) => a.index - b.index);
}

/** An answer of the offline assistant itself: quoting its quotes helps nobody. */
const isOwn = ({ role, excerpt }: SearchHit): boolean =>
  role === "assistant" && /only quote this conversation|\n> …/.test(excerpt);

/** What the offline assistant says around its quotes. */
export interface QuoteWords {
  readonly answer: string;
  readonly hidden: string;
  readonly nothing: (words: readonly string[]) => string;
  readonly roles: Readonly<Record<SearchHit["role"], string>>;
}

/**
 * Answers without a model: quotes what the conversation already holds, and says so. The page and the terminal both have
 * it. `lead` is added to indexes, so that the numbers are those that summaries use.
 */
export async function quoteAnswer(
  question: string,
  options: {
    readonly recall: (word: string) => Promise<readonly SearchHit[]>;
    /** Messages from this index on aren't quoted: the question itself. */
    readonly before: number;
    readonly lead: number;
    readonly words: QuoteWords;
  },
): Promise<string> {
  const { recall, before, lead, words: say } = options;
  const words = keywords(question);
  const found = await Promise.all(words.map(recall));
  const hits = bestHits(
    found.map((one) => one.filter((hit) => !isOwn(hit))),
    before,
  );
  if (hits.length === 0) return say.nothing(words);
  const quotes = hits.map((hit) => {
    const excerpt = hit.excerpt.trim().replace(/\s+/g, " ");
    return `> …${excerpt}…\n\n${say.roles[hit.role]}, #${hit.index + 1 + lead}${hit.visible ? "" : ` ${say.hidden}`}`;
  });
  return [say.answer, ...quotes].join("\n\n");
}
