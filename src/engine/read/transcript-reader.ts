import { FIRST_LINK, type Link, nextLink } from "../../core/chain.ts";
import { charsOf } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import { sameMessage } from "../../core/same-message.ts";
import type { Measure, Message } from "../../core/types.ts";
import { countLongTexts } from "../../tokens/exact-counter.ts";

/** Characters that remembered transcripts take together: several of a million tokens. */
const MAX_CHARS = 64_000_000;

/** Room for texts that are remembered in several places: those that were used longest ago leave first, wherever they are. */
export interface TextRoom {
  /** Takes room, as the one that was used last. `forget` is called when others need it; it must let go of the texts and `leave`. */
  take(owner: object, chars: number, forget: () => void): void;
  leave(owner: object): void;
}

export function createTextRoom(maxChars = MAX_CHARS): TextRoom {
  const taken = new Map<object, { readonly chars: number; forget(): void }>();
  let total = 0;
  const leave = (owner: object): void => {
    total -= taken.get(owner)?.chars ?? 0;
    taken.delete(owner);
  };
  return {
    take(owner, chars, forget) {
      leave(owner);
      taken.set(owner, { chars, forget });
      total += chars;
      for (const oldest of taken.values()) {
        if (total <= maxChars) break;
        oldest.forget();
      }
    },
    leave,
  };
}

/** Conversations whose hashes and counts are remembered; a busier host pays for a lookup per text instead. */
const MAX_CONVERSATIONS = 32;

/** The messages of one transcript with their hashes and tokens. */
interface Reading {
  /**
   * Those that were read before are the very same objects again, and so is a whole list: what was found out about a message
   * (`onceFor`) is found again for as long as its transcript is remembered.
   */
  readonly messages: readonly Message[];
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly tokens: readonly number[];
}

/** Reads transcripts that mostly are longer versions of ones read before. */
export interface TranscriptReader {
  read(messages: readonly Message[], start: number, measure: Measure, pause: Pause): Promise<Reading>;
}

/** A transcript that was read, after its leading system messages: `links[n]` stands behind n messages, `tokens[n]` are those of the n-th. */
interface Remembered {
  /** All messages, the leading system messages included. */
  readonly all: readonly Message[];
  readonly messages: readonly Message[];
  readonly links: readonly Link[];
  readonly tokens: readonly number[];
  readonly measure: Measure;
}

/** Remembers the last few transcripts, so that a `fit` costs a comparison of each old message and real work for the new ones only. */
export function createTranscriptReader(room: TextRoom = createTextRoom()): TranscriptReader {
  /** Least recently used first. */
  const remembered = new Set<Remembered>();
  const forget = (one: Remembered): void => {
    remembered.delete(one);
    room.leave(one);
  };
  const remember = (one: Remembered): void => {
    forget(one);
    remembered.add(one);
    const chars = one.messages.reduce((sum, message) => sum + charsOf(message), 0);
    room.take(one, chars, () => forget(one));
    for (const oldest of remembered) {
      if (remembered.size <= MAX_CONVERSATIONS) break;
      forget(oldest);
    }
  };
  /** The transcript that begins like this one for longest, and how many messages they share. */
  const closest = (messages: readonly Message[]) => {
    let best: { readonly of: Remembered | undefined; readonly shared: number } = { of: undefined, shared: 0 };
    for (const of of [...remembered].reverse()) {
      const shared = sharedLength(of.messages, messages);
      if (shared > best.shared) best = { of, shared };
      // Where there are many forks of a long one, one that shares most of it is good enough.
      if (best.shared * 2 > messages.length) break;
    }
    return best;
  };

  return {
    async read(all, start, measure, pause) {
      const before: number[] = [];
      for (const message of all.slice(0, start)) {
        await countLongTexts(measure, message, pause);
        before.push(measure.message(message));
      }
      const given = all.slice(start);
      const { of: known, shared } = closest(given);
      const messages = [...(known?.messages.slice(0, shared) ?? []), ...given.slice(shared)];
      const links = known?.links.slice(0, shared + 1) ?? [FIRST_LINK];
      const tokens =
        known?.measure === measure
          ? known.tokens.slice(0, shared)
          : messages.slice(0, shared).map((message) => measure.message(message));
      for (const message of messages.slice(shared)) {
        await pause();
        links.push(nextLink(links.at(-1)!, message));
        await countLongTexts(measure, message, pause);
        tokens.push(measure.message(message));
      }
      const read = { chain: links.map(({ hash }) => hash), tokens: [...before, ...tokens] };
      const isSame = known?.all.length === all.length && sharedLength(known.all, all) === all.length;
      const whole = isSame ? known.all : [...all.slice(0, start), ...messages];
      // What is a part of a known one, or has grown out of it, is remembered with it alone.
      if (known && shared === given.length && known.measure === measure) remember(known);
      else {
        if (known?.messages.length === shared) forget(known);
        remember({ all: whole, messages, links, tokens, measure });
      }
      return { messages: whole, ...read };
    },
  };
}

function sharedLength(one: readonly Message[], other: readonly Message[]): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) if (!sameMessage(one[at]!, other[at]!)) return at;
  return most;
}
