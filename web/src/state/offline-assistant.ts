import { routes, type SearchHit } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { Api } from "./api-client.ts";

const MOST_WORDS = 5;
const MOST_QUOTES = 4;
const SHORTEST_WORD = 3;

/** Words that stand in any question. */
const COMMON = new Set(
  "the and for was were are you your our his her its that this these those with what when where which who whom why how did does done has have had can could should would will from about into than then them they there their say said tell told know not but any all please give show say does just like let make".split(
    " ",
  ),
);

/** The words of a question that are worth looking for, longest first. */
export function keywords(question: string): readonly string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  const telling = words
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
      else byIndex.set(hit.index, { hit, score: weight * (hit.role === "tool" ? 0.6 : 1) });
    }
  }
  return [...byIndex.values()]
    .sort((a, b) => b.score - a.score || b.hit.index - a.hit.index)
    .slice(0, MOST_QUOTES)
    .map(({ hit }) => hit)
    .sort((a, b) => a.index - b.index);
}

/**
 * Answers without a model: quotes what the conversation already holds, and says so. `lead` is added to indexes, so that
 * the numbers are those that summaries use.
 */
export async function quoteAnswer(
  api: Api,
  id: string,
  question: string,
  { before, lead }: { readonly before: number; readonly lead: number },
): Promise<string> {
  const words = keywords(question);
  const found = await Promise.all(
    words.map(async (q) => (await api.call(routes.recall, { params: { id }, query: { q, limit: 50 } })).hits),
  );
  const hits = bestHits(found, before);
  if (hits.length === 0) return strings.offline.nothing(words);
  const quotes = hits.map((hit) => {
    const excerpt = hit.excerpt.trim().replace(/\s+/g, " ");
    return `> …${excerpt}…\n\n${strings.roles[hit.role]}, #${hit.index + 1 + lead}${hit.visible ? "" : ` ${strings.offline.hidden}`}`;
  });
  return [strings.offline.answer, ...quotes].join("\n\n");
}
