import { type Draft, entriesOf } from "../../core/draft.ts";
import { saidText } from "../../core/message-text.ts";
import type { Measure, PassagePlace, RecalledPassage, Run } from "../../core/types.ts";
import type { MemoryIndex, RankablePassage } from "../../recall/candidates.ts";
import { type Query, rarity, voicesOf } from "../../recall/rank.ts";
import { type Found, LEAST_HIT } from "../../recall/search.ts";
import { termsOf, wantedTerms } from "../../recall/terms.ts";
import { bestStretch, shown, shownBy, stretchWithMost, visibleText } from "../../recall/visible-text.ts";
import { characterClass, DENSE } from "../../summaries/text/look-alikes.ts";
import type { Conversation } from "../read/conversation.ts";

/** What is quoted beside the best passage holds this share of what the message asks for, unless people talk and it may be a reply. */
const LEAST_BESIDE = 0.1;
/** How far a reply stands from what it replies to (messages). */
const REPLIES = [1, 2];
/** Tokens of a pointer, a name and a line break. */
const HEAD_TOKENS = 5;
/** One passage takes at most this share of the allowance, so that it isn't alone, or so many tokens if that is more. */
const MOST_OF_ALLOWANCE = 0.25;
const SHORT_PASSAGE = 120;
/** A question of which the view shows this share, and what was asked for, has its answer quoted instead. */
const MOSTLY_SEEN = 0.5;
/** Beside others, a passage that is cut for want of room isn't quoted if less than this is left of it (tokens). */
const LEAST_FRAGMENT = 30;

/** Fewer words than this say nothing that could be read by itself. */
const LEAST_WORDS = 3;
const GAPS = /^… | …$/g;
/** A title, or what only leads to something that isn't quoted. */
const LEADS_ON = /^#{1,6} [^\n]*$|^[^\n]*[:：]$/;

const RUN = /[\p{L}\p{M}\p{N}]+(?:[-./~@$_]+[\p{L}\p{M}\p{N}]+)*/gu;

/** A passage that a user message asks for and a view hides. */
export interface Chosen {
  readonly place: PassagePlace;
  readonly passage: RecalledPassage;
}

/** A view, and the tokens that may be quoted beside it. */
export interface Allowance {
  readonly conversation: Conversation;
  /** The view as it would be shown, and what it quotes already. */
  readonly draft: Draft;
  readonly quoted: readonly string[];
  readonly allowance: number;
}

/** Takes passages into quotations as long as there is room for them. */
export function createQuoter(
  index: MemoryIndex,
  asked: Asked,
  { conversation, draft, quoted, allowance }: Allowance,
) {
  const { messages, measure } = conversation;
  const { start } = conversation.structure;
  const { wanted, held } = asked;
  const own = [...quoted, saidText(messages.at(-1)!)];
  const visible = visibleText(shownBy(entriesOf(draft), own), messages, index, start);
  const answers = asked.isTalk ? undefined : answersOf(index);
  const isReply = asked.isTalk && !asked.isWork ? besideWordsOf(asked.heldBy) : () => false;
  const most = Math.max(SHORT_PASSAGE, Math.floor(allowance * MOST_OF_ALLOWANCE));
  const written = asWritten(asked.text);
  const taken = new Set<RankablePassage>();
  const chosen: Chosen[] = [];
  /** Replies that hold no word of the question, without their numbers: "I saw 3 messages." is quoted once. */
  const replies = new Set<string>();
  let left = allowance;

  const messageOf = ({ of }: RankablePassage): number => start + index.messages[of]!.index;
  /** What is looked at for a passage: itself, or the answer to it where the view shows most of it already. */
  const lookedAt = (found: RankablePassage) => {
    const hidden = visible.unseen(messageOf(found), found);
    const share = hidden.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, found.text.length);
    const isSeen = share < 1 - MOSTLY_SEEN && !holdsMost(hidden, found, held);
    const passage = isSeen ? answers?.get(found.of) : found;
    if (!passage || taken.has(passage)) return undefined;
    taken.add(passage);
    const runs = isSeen ? visible.unseen(messageOf(passage), passage) : hidden;
    return { passage, isSeen, runs };
  };

  return {
    chosen,
    isFull: (): boolean => left < LEAST_HIT,
    /** Takes what is quoted for a passage that was found, if the view hides something of it that is worth it. Says whether it did. */
    take({ score, passage: found }: Found): boolean {
      const looked = lookedAt(found);
      if (!looked) return false;
      const { passage, isSeen, runs } = looked;
      const limit = Math.min(left, isSeen ? SHORT_PASSAGE : most);
      const cost = costOf(measure, passage);
      // An answer says first what it is about.
      const stretch = unseenStretch(runs, passage, isSeen ? NOTHING : wanted, (text) => cost(text) <= limit);
      if (!stretch) return false;
      const text = shown(passage.text, stretch);
      if (!saysSomething(text)) return false;
      if (chosen.length > 0 && stretch.isPart && cost(text) < LEAST_FRAGMENT) return false;
      if (!isSeen && held(text) < LEAST_BESIDE * asked.all && !isReply(found.of)) return false;
      if (held(text) === 0) {
        const reply = text.replace(/\d+/g, "0");
        if (replies.has(reply)) return false;
        replies.add(reply);
      }
      const words = wantedTerms(isSeen ? `${found.text}\n${passage.text}` : found.text, wanted);
      // A turn that is only near others with such words isn't meant.
      if (isSeen && words.length === 0) return false;
      left -= cost(text);
      visible.show(text);
      const message = messageOf(passage);
      chosen.push({
        place: [message - start, passage.part, passage.from + stretch.from, passage.from + stretch.to],
        passage: { index: message, text, words: namesOf(words, written), score },
      });
      return true;
    },
  };
}

/** By the place of a question: the first passage of the assistant's answer to it, which says what it is about. */
function answersOf({ messages, passages }: MemoryIndex): ReadonlyMap<number, RankablePassage> {
  const answers = new Map<number, RankablePassage>();
  for (const passage of passages) {
    const asked = passage.of - 1;
    if (passage.kind === "assistant" && messages[asked]?.kind === "user" && !answers.has(asked))
      answers.set(asked, passage);
  }
  return answers;
}

/** Between people a message may answer another one without any of its words. Tells whether one stands beside a message that holds some. */
function besideWordsOf(heldBy: ReadonlyMap<RankablePassage, number>): (of: number) => boolean {
  const holding = new Set([...heldBy.keys()].map(({ of }) => of));
  return (of) => REPLIES.some((distance) => holding.has(of - distance) || holding.has(of + distance));
}

const NOTHING: ReadonlySet<string> = new Set();

/** Terms as the user message writes them. */
function namesOf(terms: readonly string[], written: ReadonlyMap<string, string>): string[] {
  return [...new Set(terms.map((term) => written.get(term) ?? term))];
}

/** Phrases that come again and again are seen everywhere. What was asked for may stand in the few words beside them. */
function holdsMost(runs: readonly Run[], { text }: RankablePassage, held: (text: string) => number): boolean {
  const least = MOSTLY_SEEN * held(text);
  return runs.some(({ from, to }) => held(text.slice(from, to)) >= least);
}

/** The part of a passage that the view doesn't show, as far as it fits and with as much as possible of what is asked for. */
function unseenStretch(
  runs: readonly Run[],
  { text }: RankablePassage,
  wanted: ReadonlySet<string>,
  isSmall: (text: string) => boolean,
): { readonly from: number; readonly to: number; readonly isPart: boolean } | undefined {
  const run = stretchWithMost(text, runs, wanted);
  if (!run) return undefined;
  const whole = text.slice(run.from, run.to);
  const stretch = bestStretch(whole, wanted, isSmall);
  if (!stretch) return undefined;
  const { from, to } = stretch;
  return { from: run.from + from, to: run.from + to, isPart: to - from < whole.length };
}

/** Tokens of a stretch of a passage, by its share of the whole: counting every try would take longer than all the rest. */
function costOf(measure: Measure, { text }: RankablePassage): (stretch: string) => number {
  const perCharacter = measure.text(text) / Math.max(1, text.length);
  return (stretch) => Math.ceil(stretch.length * perCharacter) + HEAD_TOKENS;
}

/** Does a quotation say anything by itself? A title, a thank-you or the end of a sentence doesn't. */
function saysSomething(quotation: string): boolean {
  const text = quotation.replace(GAPS, "").trim();
  return !LEADS_ON.test(text) && new Set(termsOf(withoutPhatic(text))).size >= LEAST_WORDS;
}

/** The words of a text by their terms: people are shown `invoices`, where an index knows `invoic`. */
function asWritten(text: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const [run] of text.matchAll(RUN)) {
    // Where nothing stands between words, a run is a whole sentence: there a term is shown as it is.
    if (characterClass(run.charCodeAt(0)) === DENSE) continue;
    for (const term of termsOf(run)) if (!words.has(term)) words.set(term, run);
  }
  return words;
}

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
      return { ...one, score: (one.score + more) * Math.sqrt(isNew) };
    })
    .sort((a, b) => b.score - a.score || a.of - b.of);
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
