import { addTo } from "../core/collections.ts";
import type { Pause } from "../core/pause.ts";
import type { ByKind, CandidateSet, Kind, RankableMessage, Statistics } from "./candidates.ts";
import { isFunctionWord, termsOf } from "./terms.ts";

/** A question to an index. */
export interface Query {
  /** Each once. */
  readonly terms: readonly string[];
  /** Terms that stand side by side in it: they count together where they stand together. */
  readonly pairs: readonly (readonly [string, string])[];
  /** What stood in quotation marks, in lower case: passages that hold it come first. */
  readonly phrases: readonly string[];
  /** Words in lower case, to see whether a speaker is named. */
  readonly words: ReadonlySet<string>;
  /** It names a file, an identifier or a phrase: then it doesn't matter whose words hold it. */
  readonly isExact: boolean;
}

/** Words that speak about asking and about the conversation itself, not about what is asked for. */
const ASKING =
  /(?<![\p{L}\p{N}])(?:please|tell|list|show|explain|describe|summari[sz]e|summary|comprehensive|mention(?:ed)?|discuss(?:ed|ion|ions)?|conversations?|chats?|sessions?|questions?|answers?|earlier|previous(?:ly)?|recall|remember|remind|different|order|brought|throughout|across|only|ever|said|talk(?:ed)?)(?![\p{L}\p{N}])/giu;
const QUOTED = /"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{1,200})」/g;
/** A name that people don't write by chance: joined words, humps, letters with digits. */
const NAME = /[\p{L}\p{N}][_./][\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}-?\d{2}/u;
/** More terms than this aren't looked for: the longest questions are pasted texts. */
const MAX_TERMS = 64;
/** Characters of a question that are read. */
const MAX_QUERY = 8_000;

export function readQuery(given: string): Query {
  const text = given.slice(0, MAX_QUERY);
  const inOrder = termsOf(text.replace(ASKING, " "));
  const asked = unique(inOrder);
  const phrases = [...text.matchAll(QUOTED)].map(([, a, b, c]) => (a ?? b ?? c)!.trim().toLowerCase());
  return {
    // A question that is about the conversation alone has no other words.
    terms: (asked.length > 0 ? asked : unique(termsOf(text))).slice(0, MAX_TERMS),
    pairs: pairsIn(inOrder.slice(0, MAX_TERMS)),
    phrases: unique(phrases.filter((phrase) => phrase !== "")),
    words: new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []),
    isExact: phrases.length > 0 || text.split(/\s+/).some((word) => NAME.test(word) && !isFunctionWord(word)),
  };
}

/** Each two terms that stand side by side. */
function pairsIn(terms: readonly string[]): (readonly [string, string])[] {
  return terms.slice(1).flatMap((term, at) => (term === terms[at] ? [] : [[terms[at]!, term] as const]));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/**
 * Who speaks in a conversation, and what that means for ranking. Two people who talk write alike. An assistant writes ten
 * times as much as it is asked, and says everything that a question could be about: ranked side by side, its answers push
 * out the few words of the user that decide (recall in the first ten of BEAM: 42 %, separately 56 %).
 */
export interface Voices {
  /** People talk to each other, or at least write as much as each other. */
  readonly isTalk: boolean;
  /** What words of a kind count. */
  readonly weight: ByKind;
  /** The kinds whose passages say how rare a term is. */
  readonly kinds: readonly Kind[];
}

/** An assistant's messages are longer than a person's by this factor, at least. */
const MUCH_LONGER = 2;
/** An answer counts this much at least, however long answers are. */
const LEAST_ANSWER = 1 / 3;
/** What tools and files said counts half, unless the query names something exactly. */
const DATA = 1 / 2;
/** With fewer passages of the user than this, they don't tell how rare a term is. */
const ENOUGH_PASSAGES = 20;

export function voicesOf({ messages, passages, terms }: Statistics, query: Pick<Query, "isExact">): Voices {
  const mean = (kind: Kind): number => terms[kind] / Math.max(1, messages[kind]);
  const share = mean("assistant") === 0 ? 1 : Math.min(1, mean("user") / mean("assistant"));
  const isTalk = share * MUCH_LONGER >= 1;
  return {
    isTalk,
    weight: {
      user: 1,
      assistant: isTalk || query.isExact ? 1 : Math.max(LEAST_ANSWER, share),
      data: query.isExact ? 1 : DATA,
    },
    kinds: !isTalk && passages.user >= ENOUGH_PASSAGES ? ["user"] : ["user", "assistant", "data"],
  };
}

/** BM25's own numbers: how soon repetitions stop counting, and how much longer passages are held back. */
const K1 = 1.2;
const B = 0.9;
/** A message is also ranked by what stands around it, up to so many messages away: talk comes back to its subject. */
const WINDOWS = [1, 2, 4, 8];
const WINDOW_WEIGHT = 0.6;
/** To an assistant each question may be about something else. */
const CHAT_WINDOWS = 1 / 4;
/** Between people a short question says less than the reply to it … */
const QUESTION = 0.85;
const REPLY = 1.06;
/** … and a question about somebody is mostly answered by their own words. */
const ASKED_SPEAKER = 1.15;
/** Shorter than this share of the mean message of its kind: a short one. */
const SHORT = 0.8;
/** So many messages begin with the same name before it counts as a speaker's. */
const LEAST_NAMED = 3;
/** A passage that holds every phrase of the query letter for letter. */
const PHRASE = 3;
/** Two terms that stand side by side in the query and in a passage count for this share of them more. */
const TOGETHER = 0.5;

/** A message with its score, and its passage that fits best. */
export interface Ranked {
  /** Place in the candidates' `messages`. */
  readonly of: number;
  readonly score: number;
  /** Place in the candidates' `passages`; undefined for a message that is there because of its neighbours alone. */
  readonly passage: number | undefined;
}

/**
 * Ranks candidates, best first. Messages that have nothing to do with the query are left out. A long conversation with many words
 * to look for takes a while, hence the pauses.
 */
export async function rank(candidates: CandidateSet, query: Query, pause: Pause): Promise<Ranked[]> {
  const { messages, passages } = candidates;
  const voices = voicesOf(candidates.statistics, query);
  const own = new Float64Array(passages.length);
  const around = new Float64Array(messages.length);
  const windows = windowsOf(messages);
  for (const term of query.terms) {
    await pause();
    addTerm(candidates, voices, term, own, around, windows);
  }
  await addPairs(candidates, voices, query.pairs, own, pause);
  const best = new Int32Array(messages.length).fill(-1);
  const scores = new Float64Array(messages.length);
  for (const [place, passage] of passages.entries()) {
    let score = own[place]! * voices.weight[passage.kind];
    if (score > 0 && query.phrases.length > 0 && holdsAll(passage.text, query.phrases)) score *= PHRASE;
    if (score <= scores[passage.of]!) continue;
    scores[passage.of] = score;
    best[passage.of] = place;
  }
  await pause();
  // What stands around a result is its round, which counts for it like for the words that led to it.
  for (const [of, { kind }] of messages.entries())
    scores[of]! += around[of]! * (kind === "data" ? 1 : voices.weight[kind]);
  if (voices.isTalk) asTalk(candidates, query, scores);
  return [...scores.entries()]
    .filter(([, score]) => score > 0)
    .map(([of, score]) => ({ of, score, passage: best[of]! < 0 ? undefined : best[of]! }))
    .sort((a, b) => b.score - a.score || a.of - b.of);
}

/** How rare a term is: passages of the kinds that tell it, against those that hold it. */
export function rarity(
  candidates: Pick<CandidateSet, "statistics">,
  term: string,
  kinds: readonly Kind[],
): number {
  const { passages, frequency } = candidates.statistics;
  const found = frequency(term);
  const sum = (counts: Readonly<Record<Kind, number>>) => kinds.reduce((all, kind) => all + counts[kind], 0);
  const [all, holding] = [sum(passages), sum(found)];
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

function addTerm(
  candidates: CandidateSet,
  voices: Voices,
  term: string,
  own: Float64Array,
  around: Float64Array,
  windows: readonly Window[],
): void {
  const found = candidates.occurrences(term);
  if (!found) return;
  const { passages, statistics } = candidates;
  const worth = rarity(candidates, term, voices.kinds);
  /** Of each message the passage that holds the term most often, up to each message. */
  const counts = new Float64Array(candidates.messages.length + 1);
  for (const [at, place] of found.passages.entries()) {
    const count = found.counts[at]!;
    const { of, kind, terms } = passages[place]!;
    const mean = statistics.terms[kind] / Math.max(1, statistics.passages[kind]);
    own[place]! += (worth * count * (K1 + 1)) / (count + K1 * (1 - B + (B * terms) / Math.max(1, mean)));
    counts[of + 1] = Math.max(counts[of + 1]!, count * voices.weight[kind]);
  }
  for (let of = 0; of < candidates.messages.length; of++) counts[of + 1]! += counts[of]!;
  const weight = WINDOW_WEIGHT * (voices.isTalk ? 1 : CHAT_WINDOWS);
  for (const { from, to } of windows) {
    for (let of = 0; of < from.length; of++) {
      const count = counts[to[of]!]! - counts[from[of]!]!;
      if (count > 0) around[of]! += (weight * worth * count * (K1 + 1)) / (count + K1);
    }
  }
}

/**
 * What two terms add to passages in which they stand side by side, as in the query: "shelf 300" isn't "shelf 900, box 300". However many
 * pairs there are, a passage is read once: reading takes far longer than looking for them.
 */
async function addPairs(
  candidates: CandidateSet,
  voices: Voices,
  pairs: Query["pairs"],
  own: Float64Array,
  pause: Pause,
): Promise<void> {
  const places = new Set<number>();
  const behind = new Map<string, { readonly other: string; readonly worth: number }[]>();
  for (const [one, other] of pairs) {
    const [ones, others] = [candidates.occurrences(one), candidates.occurrences(other)];
    if (!ones || !others) continue;
    const both = new Set(others.passages);
    for (const place of ones.passages) if (both.has(place)) places.add(place);
    const worth =
      TOGETHER * (rarity(candidates, one, voices.kinds) + rarity(candidates, other, voices.kinds));
    addTo(behind, one, { other, worth });
  }
  for (const place of places) {
    await pause();
    const terms = termsOf(candidates.passages[place]!.text);
    const found = new Set<object>();
    for (const [at, term] of terms.entries())
      for (const pair of behind.get(term) ?? [])
        if (pair.other === terms[at + 1] && !found.has(pair)) {
          found.add(pair);
          own[place]! += pair.worth;
        }
  }
  await pause();
}

/** For each message, which ones stand around it. */
interface Window {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

function windowsOf(messages: readonly RankableMessage[]): Window[] {
  const { length } = messages;
  return WINDOWS.map((width) => {
    const from = new Int32Array(length);
    const to = new Int32Array(length);
    let first = 0;
    let last = 0;
    for (let of = 0; of < length; of++) {
      const { conversation, index } = messages[of]!;
      const isNear = (other: RankableMessage) =>
        other.conversation === conversation && Math.abs(other.index - index) <= width;
      while (!isNear(messages[first]!)) first++;
      last = Math.max(last, of + 1);
      while (last < length && isNear(messages[last]!)) last++;
      from[of] = first;
      to[of] = last;
    }
    return { from, to };
  });
}

/** What counts between people: replies, and whoever is asked about. */
function asTalk({ messages, statistics }: CandidateSet, query: Query, scores: Float64Array): void {
  const named = new Map<string, number>();
  for (const { name } of messages) if (name !== undefined) named.set(name, (named.get(name) ?? 0) + 1);
  const isShortQuestion = ({ kind, terms, endsWithQuestion }: RankableMessage): boolean =>
    endsWithQuestion && terms < (SHORT * statistics.terms[kind]) / Math.max(1, statistics.messages[kind]);
  for (const [of, message] of messages.entries()) {
    const before = messages[of - 1];
    const { name } = message;
    if (isShortQuestion(message)) scores[of]! *= QUESTION;
    if (before && isNext(before, message) && isShortQuestion(before)) scores[of]! *= REPLY;
    if (name !== undefined && named.get(name)! >= LEAST_NAMED && query.words.has(name))
      scores[of]! *= ASKED_SPEAKER;
  }
}

function isNext(before: RankableMessage, message: RankableMessage): boolean {
  return before.conversation === message.conversation && before.index + 1 === message.index;
}

function holdsAll(text: string, phrases: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return phrases.every((phrase) => lower.includes(phrase));
}
