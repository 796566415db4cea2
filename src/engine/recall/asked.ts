import type { Run } from "../../core/types.ts";
import type { RankablePassage } from "../../recall/candidates.ts";
import type { MemoryIndex } from "../../recall/memory-index.ts";
import { type Query, voicesOf } from "../../recall/query.ts";
import { rarity } from "../../recall/rank.ts";
import type { Found } from "../../recall/search.ts";
import { wantedTerms } from "../../recall/terms.ts";

/** What a passage has in common with the message must be at least this rare, in all … */
const LEAST_RARITY = 4;
/** … and this share of what the message asks for. */
const LEAST_SHARE = 0.2;

/** What a user message asks a conversation for. */
export interface Asked {
  readonly text: string;
  readonly wanted: ReadonlySet<string>;
  /** How rare everything that is asked for is, in all. */
  readonly all: number;
  /** How much of that a text holds. */
  held(text: string): number;
  /** The same by passage. */
  readonly heldBy: ReadonlyMap<RankablePassage, number>;
  /** Has a passage so much of it that it is clearly meant? */
  isMeant(found: Found): boolean;
  /** People talk with each other. */
  readonly isTalk: boolean;
  /** Tools are at work: then what stands beside a passage is about something else as often as not. */
  readonly isWork: boolean;
  /** It asks for the whole of something that many messages are about. */
  readonly wantsAll: boolean;
}

/** Reads what is asked for in the light of what was found. */
export function readAsked(text: string, query: Query, index: MemoryIndex, found: readonly Found[]): Asked {
  const { statistics } = index;
  const { kinds, isTalk } = voicesOf(statistics, query);
  const worth = new Map(query.terms.map((term) => [term, rarity(index, term, kinds)]));
  const all = [...worth.values()].reduce((sum, one) => sum + one, 0);
  const wanted = new Set(query.terms);
  const heldBy = heldByPassage(index, worth);
  const isWork = statistics.messages.data > statistics.messages.user;
  const isMeant = ({ passage }: Found): boolean => {
    const held = heldBy.get(passage) ?? 0;
    return held >= LEAST_RARITY && held >= LEAST_SHARE * all;
  };
  return {
    text,
    wanted,
    all,
    held: (part) => wantedTerms(part, wanted).reduce((sum, term) => sum + worth.get(term)!, 0),
    heldBy,
    isMeant,
    isTalk,
    isWork,
    // Between people, and while tools are at work, turns aren't a question and its answer.
    wantsAll: !isTalk && !isWork && isBroad(text, found) && found.some(isMeant),
  };
}

/**
 * What each passage holds of what is asked for, as its index knows it. Where nothing is clearly relevant, all that have to do with the
 * question are looked at, and to read them anew took ten times as long as all the rest.
 */
function heldByPassage(
  { passages, occurrences }: MemoryIndex,
  worth: ReadonlyMap<string, number>,
): ReadonlyMap<RankablePassage, number> {
  const held = new Map<RankablePassage, number>();
  for (const [term, rare] of worth)
    for (const place of occurrences(term)?.passages ?? []) {
      const passage = passages[place]!;
      held.set(passage, (held.get(passage) ?? 0) + rare);
    }
  return held;
}

/** Words that ask for the whole of something: a summary, or how it came about. */
const BROAD_SPACED =
  /(?<![\p{L}\p{N}])(?:summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|overview|recap|over time|how\b[^.?!]{0,200}\b(?:developed|evolved|progressed)|zusammen(?:fass\p{L}*|gefasst)|fass(?:e|en|t)?\b[^.?!]{0,200}\bzusammen|überblick|im laufe der zeit|résumer|résume[zs]?[ -](?:moi|nous)|un résumé|récapitul\p{L}*|vue d'ensemble|au fil du temps|resumen|resumir|resúme\p{L}*|a lo largo del tiempo|resumo|visão geral|ao longo do tempo|riassu\p{L}*|riepilog\p{L}*|panoramica|nel tempo|обзор|итоги|подытож\p{L}*|резюмируй\p{L}*|요약\p{L}*|정리해\p{L}*)(?![\p{L}\p{N}])/iu;
const BROAD_DENSE = /总结|總結|概括|概述|回顾|回顧|要約|まとめ|概要|振り返/u;
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
    (BROAD_SPACED.test(asked) || BROAD_DENSE.test(asked))
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

/**
 * What people say to each other without asking for anything, emoji included, and, in scripts without spaces, the words that only hold a sentence together: there they
 * can't be told from others by their edges, and would be found in nearly every passage.
 */
const PHATIC_SPACED =
  /(?<![\p{L}\p{N}])(?:thanks?|thank you|thx|ok(?:ay)?|yes|yeah|yep|no|nope|please|great|good|nice|cool|perfect|awesome|fine|sure|right|exactly|sounds?|looks?|go(?: on| ahead)?|continue|next|again|now|think|know|want|need|help(?:s|ed|ful)?|let's|try|do it|i see|got it|well done|danke|bitte|ja|nein|genau|gerne|weiter(?: so)?|mach weiter|merci|oui|d'accord|continuez|gracias|por favor|continúa|adelante|perfecto|obrigad[oa]|grazie|va bene|avanti|спасибо|пожалуйста|да|нет|хорошо|продолжай(?:те)?|дальше|고마워요?|감사합니다|감사해요|네|예|아니요|좋아요?|알겠습니다|알겠어요?|부탁해요?|부탁드립니다|계속(?:해|해요|하세요|해 ?줘|해 ?주세요)?)(?![\p{L}\p{N}])/giu;
const PHATIC_DENSE =
  /谢谢[你您]?|多谢|感谢|辛苦了|好的|是的|可以的?吗|没问题|明白了|知道了|很好|太好了|不错|做得好|请?继续(?:吧|下去)?|下一步|ありがとう(?:ございま(?:す|した))?|お願い(?:します|いたします)?|よろしく|はい|いいえ|いいですね|了解(?:です|しました)?|わかりました|分かりました|大丈夫(?:です)?|続けて|(?:して)?ください|でしょうか|(?:して)?い?ま(?:す|した|せん|しょう)か?|で(?:す|した)か?|している?|という|について|として|から|まで|ので|けれど|どこ|なに|なぜ|いつ|どう/gu;

/** Emoji and other signs that no word is written with. */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{Extended_Pictographic}]/gu;

/** A text without what asks for nothing. */
export function withoutPhatic(text: string): string {
  return text.replace(PHATIC_SPACED, " ").replace(PHATIC_DENSE, " ").replace(SIGNS, " ");
}
