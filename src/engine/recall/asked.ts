import type { RankablePassage } from "../../recall/candidates.ts";
import type { MemoryIndex } from "../../recall/memory-index.ts";
import type { Query } from "../../recall/query.ts";
import { rarity } from "../../recall/rank.ts";
import type { Found } from "../../recall/search.ts";
import { wantedTerms } from "../../recall/terms.ts";
import { voicesOf } from "../../recall/voices.ts";
import { isBroad } from "./broad-question.ts";

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
