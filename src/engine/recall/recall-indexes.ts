import { lastTrue } from "../../core/last-true.ts";
import { charsOf } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import type { Message } from "../../core/types.ts";
import { createMemoryIndex, type MemoryIndex } from "../../recall/memory-index.ts";
import { createTextRoom, type TextRoom } from "../read/transcript-reader.ts";

/** Conversations whose index is kept; one that comes back later is read again. */
const MAX_CONVERSATIONS = 16;
/** Messages that are read between two pauses. */
const MESSAGES_AT_ONCE = 16;
/** What a term of an index takes in memory beside its texts, as characters. */
const TERM_CHARS = 40;

/** Indexes of the conversations that were used last, each as far as its transcript has grown. */
export interface RecallIndexes {
  /**
   * Works with the index of a conversation's messages after the leading system messages, which `chain` names. An index is lent to one
   * at a time: whoever comes meanwhile, with another end of the same conversation perhaps, has one of its own.
   */
  lend<T>(
    messages: readonly Message[],
    chain: readonly string[],
    work: (index: MemoryIndex) => Promise<T>,
    pause: Pause,
  ): Promise<T>;
}

interface Known {
  readonly index: MemoryIndex;
  /** `hashes[n]` names the first n + 1 messages. */
  readonly hashes: string[];
  /** Somebody reads messages into it or looks something up. */
  isLent: boolean;
}

export function createRecallIndexes(room: TextRoom = createTextRoom()): RecallIndexes {
  /** By the first message; least recently used first. */
  const known = new Map<string, Known>();
  return {
    async lend(messages, chain, work, pause) {
      const name = chain[1] ?? "";
      const before = known.get(name);
      const one =
        before === undefined || before.isLent
          ? { index: createMemoryIndex(), hashes: [], isLent: true }
          : before;
      if (before !== one) forget(name);
      one.isLent = true;
      known.delete(name);
      known.set(name, one);
      for (const oldest of known.keys()) {
        if (known.size <= MAX_CONVERSATIONS) break;
        forget(oldest);
      }
      try {
        await readInto(one, name, messages, chain, pause);
        return await work(one.index);
      } finally {
        one.isLent = false;
      }
    },
  };

  function forget(name: string): void {
    const gone = known.get(name);
    if (gone) room.leave(gone);
    known.delete(name);
  }

  async function readInto(
    one: Known,
    name: string,
    messages: readonly Message[],
    chain: readonly string[],
    pause: Pause,
  ): Promise<void> {
    const { index, hashes } = one;
    const forgetIt = (): void => {
      if (known.get(name) === one) forget(name);
    };
    // Passages are cut from the texts and keep them in memory.
    const chars = messages.reduce((sum, message) => sum + charsOf(message), 0);
    room.take(one, chars + index.size * TERM_CHARS, forgetIt);
    const same = commonLength(hashes, chain);
    if (same < hashes.length) {
      hashes.length = same;
      index.truncate(same);
    }
    for (let at = same; at < messages.length; at++) {
      if ((at - same) % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await pause();
      index.add(messages[at]!);
      hashes.push(chain[at + 1]!);
    }
    if (known.get(name) === one) room.take(one, chars + index.size * TERM_CHARS, forgetIt);
  }
}

/** How many messages two transcripts begin alike with. A hash names all messages up to it, so halving finds the place. */
function commonLength(hashes: readonly string[], chain: readonly string[]): number {
  const isAlike = (length: number): boolean => hashes[length - 1] === chain[length];
  const most = Math.min(hashes.length, chain.length - 1);
  return most > 0 && isAlike(most) ? most : lastTrue(1, most, isAlike);
}
