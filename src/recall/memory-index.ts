import type { Message } from "../core/types.ts";
import {
  type ByKind,
  type CandidateSet,
  type Kind,
  type RankableMessage,
  type RankablePassage,
  readMessage,
  type Statistics,
} from "./candidates.ts";

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
