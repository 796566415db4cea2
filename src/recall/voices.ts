import type { ByKind, Kind, Statistics } from "./candidates.ts";
import type { Query } from "./query.ts";

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
