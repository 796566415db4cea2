import { type Draft, entriesOf } from "../../core/draft.ts";
import { saidText } from "../../core/message-text.ts";
import type { Steps } from "../../core/steps.ts";
import type { Measure, PassagePlace, RecalledPassage, Run } from "../../core/types.ts";
import { asWritten } from "../../recall/as-written.ts";
import type { RankablePassage } from "../../recall/candidates.ts";
import { bestStretch, shown, stretchWithMost } from "../../recall/excerpt.ts";
import type { MemoryIndex } from "../../recall/memory-index.ts";
import { readQuery } from "../../recall/query.ts";
import { rankSteps, rarity } from "../../recall/rank.ts";
import { type Found, passagesFound } from "../../recall/search.ts";
import { termsOf } from "../../recall/terms.ts";
import { shownBy, visibleText } from "../../recall/visible-text.ts";
import { voicesOf } from "../../recall/voices.ts";
import { typedText } from "../../summaries/user-words.ts";
import type { Conversation } from "../conversation.ts";
import { fromBeginning, inBroadOrder, isBroad } from "./broad-question.ts";
import type { RecallIndexes } from "./recall-indexes.ts";
import { saysSomething } from "./says-something.ts";
import { withoutPhatic } from "./without-phatic.ts";

/** What a passage has in common with the message must be at least this rare, in all … */
const LEAST_RARITY = 4;
/** … and this share of what the message asks for. */
const LEAST_SHARE = 0.2;
/** Beside a passage that is clearly meant, others count that rank at least this high. */
const BESIDE_BEST = 0.35;
/** What is quoted beside it holds this share of what the message asks for, unless people talk and it may be a reply. */
const LEAST_BESIDE = 0.1;
/** How far a reply stands from what it replies to (messages). */
const REPLIES = [1, 2];
/** Messages that are looked at, best first. */
const MOST_LOOKED_AT = 80;
/** Tokens of a pointer, a name and a line break. */
const HEAD_TOKENS = 5;
/** One passage takes at most this share of the allowance, so that it isn't alone, or so many tokens if that is more. */
const MOST_OF_ALLOWANCE = 0.25;
const SHORT_PASSAGE = 120;
/** A later passage of an answer is quoted in place of its beginning if it holds this many times as much. */
const FAR_MORE = 2;
/** A question of which the view shows this share, and what was asked for, has its answer quoted instead. */
const MOSTLY_SEEN = 0.5;
/** For a broad question an answer is quoted where the view shows at least this share of what it answers. */
const PARTLY_SEEN = 0.1;
/** A quotation that would be shorter than this isn't worth its pointer (tokens). */
const LEAST_QUOTATION = 10;
/** Beside others, a passage that is cut for want of room isn't quoted if less than this is left of it (tokens). */
const LEAST_FRAGMENT = 30;

/** A passage that a user message asks for and a view hides. */
export interface Chosen {
  readonly place: PassagePlace;
  readonly passage: RecalledPassage;
}

/** Chooses what to quote for the newest message, best first, for about an allowance of tokens. Empty if nothing is clearly relevant. */
export function* chooseRecalled(options: {
  readonly indexes: RecallIndexes;
  readonly conversation: Conversation;
  /** The view as it would be shown, and what it quotes already. */
  readonly draft: Draft;
  readonly quoted: readonly string[];
  readonly allowance: number;
}): Steps<readonly Chosen[]> {
  const { messages, structure, chain } = options.conversation;
  const { start } = structure;
  const newest = messages.length - 1;
  const asked = withoutPhatic(typedText(saidText(messages[newest]!)));
  const query = readQuery(asked);
  if (query.terms.length === 0) return [];
  // The newest message itself would be found before everything else.
  const older = messages.slice(start, newest);
  return yield* options.indexes.lend(older, chain.slice(0, newest - start + 1), (index) =>
    chosenFrom(index, { ...options, asked, query }),
  );
}

function* chosenFrom(
  index: MemoryIndex,
  {
    conversation,
    draft,
    quoted,
    allowance,
    asked,
    query,
  }: Pick<Parameters<typeof chooseRecalled>[0], "conversation" | "draft" | "quoted" | "allowance"> & {
    /** What is asked, and what is looked for. */
    readonly asked: string;
    readonly query: ReturnType<typeof readQuery>;
  },
): Steps<readonly Chosen[]> {
  const { messages, structure, measure } = conversation;
  const { start } = structure;
  const newest = messages.length - 1;
  yield;
  const byWords = passagesFound(index, yield* rankSteps(index, query));
  yield;
  const { kinds, isTalk } = voicesOf(index.statistics, query);
  const worth = new Map(query.terms.map((term) => [term, rarity(index, term, kinds)]));
  const all = [...worth.values()].reduce((sum, one) => sum + one, 0);
  const wanted = new Set(query.terms);
  const held = (text: string): number =>
    wordsIn(text, wanted).reduce((sum, term) => sum + worth.get(term)!, 0);
  const heldBy = heldByPassage(index, worth);
  const isMeant = ({ passage }: Found): boolean => isClear(heldBy.get(passage) ?? 0, all);
  // Between people, and while tools are at work, turns aren't a question and its answer.
  const wantsAll = !isTalk && !isWork(index) && isBroad(asked, byWords) && byWords.some(isMeant);
  const ranked = wantsAll ? inBroadOrder(index, byWords) : byWords;
  const own = [...quoted, saidText(messages[newest]!)];
  const visible = visibleText(shownBy(entriesOf(draft), own), messages, index, start);
  const answers = isTalk ? undefined : answersOf(index);
  const most = Math.max(SHORT_PASSAGE, Math.floor(allowance * MOST_OF_ALLOWANCE));
  const written = asWritten(asked);
  const taken = new Set<RankablePassage>();
  const chosen: Chosen[] = [];
  let left = allowance;
  const isReply = isTalk && !isWork(index) ? besideWordsOf(heldBy) : () => false;
  /** Takes what is quoted for a passage that was found, if the view hides something of it that is worth it. */
  const take = ({ of, score, passage: found }: Found): boolean => {
    const seen = index.messages[of]!.index + start;
    const hidden = visible.unseen(seen, found);
    const hiddenShare = unseenShare(hidden, found);
    const isSeen = wantsAll
      ? hiddenShare < 1 - PARTLY_SEEN
      : hiddenShare < 1 - MOSTLY_SEEN && !isAsked(hidden, found, held);
    const answer = answers?.get(of) ?? [];
    const passage = isSeen ? (wantsAll ? answer[0] : bestOf(answer, held)) : found;
    if (!passage || taken.has(passage)) return false;
    taken.add(passage);
    const message = start + index.messages[passage.of]!.index;
    const unseen = isSeen ? visible.unseen(message, passage) : hidden;
    const runs = isSeen && wantsAll ? fromBeginning(unseen) : unseen;
    const limit = Math.min(left, isSeen ? SHORT_PASSAGE : most);
    const cost = costOf(measure, passage);
    const small = (text: string) => cost(text) <= limit;
    // An answer says first what it is about.
    const stretch = unseenStretch(runs, passage, isSeen ? NOTHING : wanted, small);
    if (!stretch) return false;
    const text = shown(passage.text, stretch);
    if (!saysSomething(text)) return false;
    if (chosen.length > 0 && stretch.isPart && cost(text) < LEAST_FRAGMENT) return false;
    if (!isSeen && held(text) < LEAST_BESIDE * all && !isReply(of)) return false;
    const words = wordsIn(isSeen ? `${found.text}\n${passage.text}` : found.text, wanted);
    // A turn that is only near others with such words isn't meant.
    if (isSeen && words.length === 0) return false;
    left -= cost(text);
    visible.show(text);
    chosen.push({
      place: [message - start, passage.part, passage.from + stretch.from, passage.from + stretch.to],
      passage: { index: message, text, words: namesOf(words, written), score },
    });
    return true;
  };
  /** Between people, what ranks above the first passage that is clearly meant: it counts beside that one. */
  const above: Found[] = [];
  let best: number | undefined;
  let looked = 0;
  for (const one of ranked) {
    yield;
    if (left < LEAST_QUOTATION) break;
    if (best !== undefined && !wantsAll && one.score < BESIDE_BEST * best) break;
    if (best === undefined && !wantsAll && !isMeant(one)) {
      if (isTalk && above.length < MOST_LOOKED_AT) above.push(one);
      continue;
    }
    if (++looked > MOST_LOOKED_AT) break;
    if (!take(one) || best !== undefined) continue;
    best = one.score;
    for (const higher of above) {
      yield;
      if (left < LEAST_QUOTATION) break;
      take(higher);
    }
  }
  return chosen;
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

function isClear(held: number, all: number): boolean {
  return held >= LEAST_RARITY && held >= LEAST_SHARE * all;
}

/** By the place of a question: the passages of the assistant's answer to it. */
function answersOf({ messages, passages }: MemoryIndex): ReadonlyMap<number, readonly RankablePassage[]> {
  const answers = new Map<number, RankablePassage[]>();
  for (const passage of passages) {
    const question = passage.of - 1;
    if (passage.kind !== "assistant" || messages[question]?.kind !== "user") continue;
    const known = answers.get(question);
    if (known) known.push(passage);
    else answers.set(question, [passage]);
  }
  return answers;
}

/** Are tools at work? Then what stands beside a passage is about something else as often as not. */
function isWork({ statistics: { messages } }: MemoryIndex): boolean {
  return messages.data > messages.user;
}

/** Between people a message may answer another one without any of its words. Tells whether one stands beside a message that holds some. */
function besideWordsOf(heldBy: ReadonlyMap<RankablePassage, number>): (of: number) => boolean {
  const holding = new Set([...heldBy.keys()].map(({ of }) => of));
  return (of) => REPLIES.some((distance) => holding.has(of - distance) || holding.has(of + distance));
}

const NOTHING: ReadonlySet<string> = new Set();

/** The passage with by far the most of what is asked for, otherwise the first. */
function bestOf(
  passages: readonly RankablePassage[],
  held: (text: string) => number,
): RankablePassage | undefined {
  let best: { readonly passage: RankablePassage; readonly held: number } | undefined;
  for (const passage of passages) {
    const worth = held(passage.text);
    if (!best || worth > best.held * FAR_MORE) best = { passage, held: worth };
  }
  return best?.passage;
}

function unseenShare(runs: readonly Run[], { text }: RankablePassage): number {
  return runs.reduce((sum, { from, to }) => sum + to - from, 0) / Math.max(1, text.length);
}

/** Terms as the user message writes them. */
function namesOf(terms: readonly string[], written: ReadonlyMap<string, string>): string[] {
  return [...new Set(terms.map((term) => written.get(term) ?? term))];
}

function wordsIn(text: string, wanted: ReadonlySet<string>): string[] {
  return [...new Set(termsOf(text))].filter((term) => wanted.has(term));
}

/** Phrases that come again and again are seen everywhere. What was asked for may stand in the few words beside them. */
function isAsked(runs: readonly Run[], { text }: RankablePassage, held: (text: string) => number): boolean {
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
