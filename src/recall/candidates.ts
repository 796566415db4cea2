import type { Pause } from "../core/pause.ts";
import { sameMessage } from "../core/same-message.ts";
import type { Dialect, Message } from "../core/types.ts";
import { type Passage, passagesOf } from "./passages.ts";
import { termsOf } from "./terms.ts";

/**
 * What an index brings to the shared ranking. Whichever database finds the messages, the same code ranks them, with the
 * numbers of what is searched: one conversation, or all of one tenant, and never those of others.
 */

/** Whose words a passage holds, as far as ranking cares: a person's, the assistant's, or what tools and files said. */
export type Kind = "user" | "assistant" | "data";

export const KINDS: readonly Kind[] = ["user", "assistant", "data"];

/** Counts by kind. */
export type ByKind = Readonly<Record<Kind, number>>;

/** Numbers of all that is searched, not only of what was found. */
export interface Statistics {
  readonly messages: ByKind;
  readonly passages: ByKind;
  /** Terms of all passages, repetitions included. */
  readonly terms: ByKind;
  /** Passages that hold a term. Zero for one that doesn't occur. */
  frequency(term: string): ByKind;
}

/** A message that was found, or that stands within `NEIGHBOURS` messages of one that was. */
export interface FoundMessage {
  /** Which conversation it is of, where several are searched. */
  readonly conversation?: string;
  /** Its place in the conversation, from 0, leading system messages counted. */
  readonly index: number;
  /** How many of the messages before it are leading system messages. Default 0. */
  readonly lead?: number;
  readonly message: Message;
  /** Names the tool whose call has this id; its result may stand in another message. */
  readonly toolOf?: (id: string) => string | undefined;
}

/** Messages up to so far away belong to what a message is ranked by. */
export const NEIGHBOURS = 8;

/** A message as the ranking sees it. */
export interface RankableMessage {
  readonly conversation?: string | undefined;
  readonly index: number;
  readonly kind: Kind;
  /** Terms of all of its passages. */
  readonly terms: number;
  readonly endsWithQuestion: boolean;
  /** The name that it begins with, in lower case, as in `Anna: Hello!`. */
  readonly name?: string | undefined;
}

/** A passage as the ranking sees it. */
export interface RankablePassage extends Passage {
  /** Place of its message in `messages`. */
  readonly of: number;
  readonly kind: Kind;
  readonly terms: number;
}

/** Where a term occurs: places in `passages`, ascending, and how often it stands in each. */
export interface Occurrences {
  readonly passages: readonly number[];
  readonly counts: readonly number[];
}

/** Everything that is ranked. */
export interface CandidateSet {
  readonly statistics: Statistics;
  /** In order: those of one conversation side by side, by their index. */
  readonly messages: readonly RankableMessage[];
  readonly passages: readonly RankablePassage[];
  occurrences(term: string): Occurrences | undefined;
}

/** An index that others keep: a database with full text search. */
export interface RecallIndex {
  /**
   * Messages that hold at least one of the terms, those with rare terms first if there are more than `limit`, each with its
   * neighbours up to `NEIGHBOURS` messages away (fewer, where many conversations are searched and reading them takes too long);
   * in any order, each once. And the numbers of all that is searched.
   */
  candidates(query: {
    readonly terms: readonly string[];
    readonly limit: number;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly statistics: Statistics; readonly messages: readonly FoundMessage[] }>;
}

/** Gathers what an index found for the ranking. Only occurrences of `terms` are looked for. */
export function gatherCandidates(
  found: readonly FoundMessage[],
  terms: readonly string[],
  statistics: Statistics,
): CandidateSet {
  const wanted = new Set(terms);
  const messages: RankableMessage[] = [];
  const passages: RankablePassage[] = [];
  const occurrences = new Map<string, { passages: number[]; counts: number[] }>();
  for (const { conversation, index, message, toolOf } of [...found].sort(inOrder)) {
    const read = readMessage(message, toolOf);
    const of = messages.push({ ...read.message, conversation, index }) - 1;
    for (const { passage, counts } of read.passages) {
      const place = passages.push({ ...passage, of }) - 1;
      for (const [term, count] of counts) {
        if (!wanted.has(term)) continue;
        const known = occurrences.get(term) ?? { passages: [], counts: [] };
        occurrences.set(term, known);
        known.passages.push(place);
        known.counts.push(count);
      }
    }
  }
  return { statistics, messages, passages, occurrences: (term) => occurrences.get(term) };
}

function inOrder(a: FoundMessage, b: FoundMessage): number {
  const [one, two] = [a.conversation ?? "", b.conversation ?? ""];
  return one < two ? -1 : one > two ? 1 : a.index - b.index;
}

/** A message for an index: its passages with their terms, and what the ranking needs to know about it. */
export function readMessage(
  message: Message,
  toolOf?: (id: string) => string | undefined,
): {
  readonly message: Omit<RankableMessage, "conversation" | "index">;
  readonly passages: readonly {
    readonly passage: Omit<RankablePassage, "of">;
    readonly counts: ReadonlyMap<string, number>;
  }[];
} {
  const passages = passagesOf(message, toolOf).map((passage) => {
    const counts = new Map<string, number>();
    let terms = 0;
    for (const term of termsOf(passage.text)) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
      terms++;
    }
    return { passage: { ...passage, kind: kindOf(passage), terms }, counts };
  });
  const said = passages.find(({ passage }) => passage.kind !== "data")?.passage;
  const last = passages.findLast(({ passage }) => passage.kind !== "data")?.passage;
  return {
    message: {
      kind: said?.kind ?? "data",
      terms: passages.reduce((sum, { passage }) => sum + passage.terms, 0),
      endsWithQuestion: last !== undefined && QUESTION_END.test(last.text.slice(-8)),
      name: said && NAMED.exec(said.text.slice(0, MAX_LEAD))?.[1]?.toLowerCase(),
    },
    passages,
  };
}

const QUESTION_END = /[?？؟]\s*$/;
/** `Anna: …`, maybe behind a time in brackets. */
const NAMED = /^(?:\[[^\]]{0,80}\]\s{0,4})?(\p{Lu}\p{L}{1,30}):\s/u;
const MAX_LEAD = 120;

/** System text of the host is nobody's data, and counts like what the assistant says. A call belongs to its result. */
function kindOf({ by, isCall }: Passage): Kind {
  return by === "user" ? "user" : typeof by === "string" && !isCall ? "assistant" : "data";
}

/** An index in memory that grows with its transcript: each message is read once. */
export interface MemoryIndex extends CandidateSet {
  add(message: Message): void;
  /** Forgets the messages from this place on: a transcript that was edited goes on from where it parts. */
  truncate(length: number): void;
  /** Different terms that it holds. */
  readonly size: number;
  /** Of each message, the share of its terms that no message before it holds: high where a subject begins. */
  readonly newness: readonly number[];
}

/**
 * Different terms that an index holds: more than any conversation that people have. A text of nothing but new words would make
 * gigabytes of it otherwise; what comes behind so many of them is found by the words that came before, or by a pattern.
 */
const MOST_TERMS = 500_000;

interface Postings {
  readonly passages: number[];
  readonly counts: number[];
  readonly frequency: Record<Kind, number>;
}

const NONE: ByKind = { user: 0, assistant: 0, data: 0 };

export function createMemoryIndex(): MemoryIndex {
  const messages: RankableMessage[] = [];
  const passages: RankablePassage[] = [];
  /** Terms of each passage, so that it can be taken out again. */
  const termsIn: (readonly string[])[] = [];
  const postings = new Map<string, Postings>();
  const newness: number[] = [];
  const tools = new Map<string, string>();
  const totals = { messages: { ...NONE }, passages: { ...NONE }, terms: { ...NONE } };
  const statistics: Statistics = { ...totals, frequency: (term) => postings.get(term)?.frequency ?? NONE };
  return {
    statistics,
    messages,
    passages,
    newness,
    get size() {
      return postings.size;
    },
    occurrences: (term) => postings.get(term),
    add(message) {
      for (const part of message.parts) if (part.type === "tool-call") tools.set(part.id, part.name);
      const read = readMessage(message, (id) => tools.get(id));
      const of = messages.length;
      messages.push({ ...read.message, index: of });
      totals.messages[read.message.kind]++;
      const sizeBefore = postings.size;
      let different = 0;
      for (const { passage, counts } of read.passages) {
        const place = passages.push({ ...passage, of }) - 1;
        totals.passages[passage.kind]++;
        totals.terms[passage.kind] += passage.terms;
        const held: string[] = [];
        termsIn.push(held);
        different += counts.size;
        for (const [term, count] of counts) {
          let known = postings.get(term);
          if (known === undefined) {
            if (postings.size >= MOST_TERMS) continue;
            known = { passages: [], counts: [], frequency: { ...NONE } };
            postings.set(term, known);
          }
          held.push(term);
          known.passages.push(place);
          known.counts.push(count);
          known.frequency[passage.kind]++;
        }
      }
      newness.push((postings.size - sizeBefore) / Math.max(1, different));
    },
    truncate(length) {
      newness.splice(length);
      for (const { kind } of messages.splice(length)) totals.messages[kind]--;
      while (passages.length > 0 && passages.at(-1)!.of >= length) {
        const { kind, terms } = passages.pop()!;
        totals.passages[kind]--;
        totals.terms[kind] -= terms;
        // The newest passage stands last in every list.
        for (const term of termsIn.pop()!) {
          const known = postings.get(term)!;
          known.passages.pop();
          known.counts.pop();
          known.frequency[kind]--;
          if (known.passages.length === 0) postings.delete(term);
        }
      }
    },
  };
}

/** A transcript, read and indexed as far as it has grown. */
export interface ConversationIndex<M> {
  readonly index: MemoryIndex;
  readonly messages: readonly Message[];
  /**
   * Reads what is new since the last time. What was changed in place is read again from there on; the first `unchanged`
   * messages aren't looked at, for callers that know.
   */
  update(transcript: readonly M[], pause: Pause, unchanged?: number): Promise<void>;
}

export function createConversationIndex<M>(dialect: Pick<Dialect<M>, "read">): ConversationIndex<M> {
  const index = createMemoryIndex();
  const messages: Message[] = [];
  return {
    index,
    messages,
    async update(transcript, pause, unchanged = 0) {
      let same = unchanged;
      // By content, never by identity: a host may change the very objects that were read before.
      const saysTheSame = (at: number) => sameMessage(messages[at]!, dialect.read(transcript[at]!));
      for (; same < messages.length && same < transcript.length && saysTheSame(same); same++) await pause();
      if (same < messages.length) {
        messages.length = same;
        index.truncate(same);
      }
      for (let at = same; at < transcript.length; at++) {
        await pause();
        const message = dialect.read(transcript[at]!);
        messages.push(message);
        index.add(message);
      }
    },
  };
}
