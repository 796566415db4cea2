import type { Run } from "../../core/types.ts";
import type { MemoryIndex } from "../../recall/memory-index.ts";
import type { Found } from "../../recall/search.ts";

/** Words that ask for the whole of something: a summary, or how it came about. */
const SPACED =
  /(?<![\p{L}\p{N}])(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|overview|recap|over time|how\b[^.?!]{0,200}\b(?:developed|evolved|progressed)|zusammen(?:fass\p{L}*|gefasst)|fass(?:e|en|t)?\b[^.?!]{0,200}\bzusammen|überblick|im laufe der zeit|résumer|résume[zs]?[ -](?:moi|nous)|un résumé|récapitul\p{L}*|vue d'ensemble|au fil du temps|resumen|resumir|resúme\p{L}*|a lo largo del tiempo|resumo|visão geral|ao longo do tempo|riassu\p{L}*|riepilog\p{L}*|panoramica|nel tempo|обзор|итоги|подытож\p{L}*|резюмируй\p{L}*|요약\p{L}*|정리해\p{L}*)(?![\p{L}\p{N}])/iu;
const DENSE = /总结|總結|概括|概述|回顾|回顧|要約|まとめ|概要|振り返/u;
/** A longer message says more than that it wants a summary (characters). */
const MOST_ASKED = 1_000;
/** So many messages must fit such a question … */
const MANY = 16;
/** … at least this well, as a share of how well the best one does. Where fewer do, they are what is meant. */
const ABOUT_AS_WELL = 0.5;
/** How much it counts that a subject begins in an answer: the power of its newness. */
const BEGINNING = 0.5;
/** Shorter beginnings of an answer aren't taken before a longer stretch of it (characters). */
const LEAST_BEGINNING = 200;

/** Does a question want the whole of something that many messages are about? The few that share most words with it don't answer it then. */
export function isBroad(asked: string, found: readonly Found[]): boolean {
  const last = found[MANY - 1];
  return (
    last !== undefined &&
    asked.length <= MOST_ASKED &&
    last.score >= ABOUT_AS_WELL * found[0]!.score &&
    (SPACED.test(asked) || DENSE.test(asked))
  );
}

/**
 * What was found for a broad question, by turns. A question and its answer count together, and most where the answer brings in words
 * that nobody used before: there a subject begins. An answer is found by its question alone.
 */
export function inBroadOrder(
  { messages, newness }: Pick<MemoryIndex, "messages" | "newness">,
  found: readonly Found[],
): Found[] {
  const scores = new Map(found.map(({ of, score }) => [of, score]));
  const isAnswer = (of: number): boolean =>
    messages[of]?.kind === "assistant" && messages[of - 1]?.kind === "user";
  return found
    .filter(({ of }) => !isAnswer(of))
    .map((one) => {
      const answer = one.of + 1;
      const [more, isNew] = isAnswer(answer)
        ? [scores.get(answer) ?? 0, newness[answer]!]
        : [0, newness[one.of]!];
      return { ...one, score: (one.score + more) * isNew ** BEGINNING };
    })
    .sort((a, b) => b.score - a.score || a.of - b.of);
}

/** Of what is hidden of an answer, the first stretch that isn't too short: an answer says first what it is about. */
export function fromBeginning(runs: readonly Run[]): readonly Run[] {
  const long = runs.filter(({ from, to }) => to - from >= LEAST_BEGINNING).sort((a, b) => a.from - b.from);
  return long.length > 0 ? long : runs;
}
