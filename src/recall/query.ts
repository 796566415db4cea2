import type { ByKind, Kind, Statistics } from "./candidates.ts";
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
const PHRASE = /"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{1,200})」/g;
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
  const phrases = [...text.matchAll(PHRASE)].map(([, a, b, c]) => (a ?? b ?? c)!.trim().toLowerCase());
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
