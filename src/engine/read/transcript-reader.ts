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

/** New messages that are read between two pauses, and characters of them. */
const FEW_MESSAGES = 64;
const FEW_CHARS = 65_536;

/** Hashes and tokens of the messages of one transcript. */
interface Reading {
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly tokens: readonly number[];
}

/** Reads transcripts that mostly are longer versions of ones read before. */
export interface TranscriptReader {
  read(messages: readonly Message[], start: number, measure: Measure, pause: Pause): Promise<Reading>;
}

/** A place in the tree of all transcripts: what was said up to there. */
interface Place {
  readonly link: Link;
  readonly before: Place | undefined;
  /** The message that leads here, as it was last read: a host that sends the same objects again is compared at once. */
  message: Message | undefined;
  /** Places behind this one, the newest first: several where a conversation forks. */
  readonly next: Place[];
  /** Tokens of the message, and by which measure. */
  tokens: { readonly measure: Measure; readonly count: number } | undefined;
  /** Characters of all messages up to here. */
  readonly chars: number;
  /** A remembered transcript ends here. */
  isEnd: boolean;
}

/**
 * Remembers the last few conversations, so that a `fit` costs a comparison of each old message and real work for the new
 * ones only. They are one tree: forks share what they have in common, so that a transcript is compared with one of them
 * up to where they part, and not with each.
 */
export function createTranscriptReader(
  textHash: (text: string) => string,
  room: TextRoom = createTextRoom(),
): TranscriptReader {
  const root = placeBehind(undefined, FIRST_LINK, undefined);
  /** Least recently used first. */
  const ends = new Set<Place>();

  const knownBehind = ({ next }: Place, message: Message): Place | undefined => {
    for (let at = 0; at < next.length; at++) if (sameMessage(next[at]!.message!, message)) return next[at];
    return undefined;
  };
  const follow = (from: Place, message: Message, link: Link | undefined): Place => {
    const known = knownBehind(from, message);
    if (known) return known;
    const place = placeBehind(from, link ?? nextLink(from.link, message, textHash), message);
    from.next.unshift(place);
    return place;
  };
  const isRemembered = (place: Place): boolean => {
    let at = place;
    while (at.before?.next.includes(at)) at = at.before;
    return at === root;
  };
  const drop = (end: Place): void => {
    ends.delete(end);
    room.leave(end);
    end.isEnd = false;
  };
  const forget = (end: Place): void => {
    drop(end);
    let place = end;
    while (place.before && place.next.length === 0 && !place.isEnd) {
      const { next } = place.before;
      next.splice(next.indexOf(place), 1);
      place = place.before;
    }
  };
  /** The places of the messages that are known, as far as the transcript begins with them. */
  const knownPath = (messages: readonly Message[], start: number): Place[] => {
    const path: Place[] = [];
    let place: Place | undefined = root;
    for (let index = start; place && index < messages.length; index++) {
      place = knownBehind(place, messages[index]!);
      if (place) path.push(place);
    }
    return path;
  };

  return {
    async read(messages, start, measure, pause) {
      const before: number[] = [];
      for (let index = 0; index < start; index++) {
        const message = messages[index]!;
        if (charsOf(message) > FEW_CHARS) await countLongTexts(measure, message, pause);
        before.push(measure.message(message));
      }
      const path = knownPath(messages, start);
      // What is new is hashed and counted before it joins the tree, which others may change meanwhile.
      const links: Link[] = [];
      const counts: number[] = [];
      let chars = 0;
      let isAtOnce = true;
      let link = path.at(-1)?.link ?? root.link;
      for (let index = start + path.length; index < messages.length; index++) {
        // A few are read at once as long as they are short.
        chars += charsOf(messages[index]!);
        const isLong = chars > FEW_CHARS;
        if (links.length % FEW_MESSAGES === FEW_MESSAGES - 1 || isLong) {
          await pause();
          chars = 0;
          isAtOnce = false;
        }
        link = nextLink(link, messages[index]!, textHash);
        links.push(link);
        if (isLong) await countLongTexts(measure, messages[index]!, pause);
        counts.push(measure.message(messages[index]!));
      }
      const isStill = isAtOnce || path.length === 0 || isRemembered(path.at(-1)!);
      const chain = [root.link.hash];
      const tokens = before;
      let place = root;
      for (let index = start; index < messages.length; index++) {
        const at = index - start;
        const message = messages[index]!;
        place = (isStill && path[at]) || follow(place, message, links[at - path.length]);
        place.message = message;
        if (place.tokens?.measure !== measure)
          place.tokens = { measure, count: counts[at - path.length] ?? measure.message(message) };
        chain.push(place.link.hash);
        tokens.push(place.tokens.count);
        // The transcript that ended here has grown: it is remembered by its new end.
        if (place.isEnd) drop(place);
      }
      place.isEnd = true;
      ends.add(place);
      const end = place;
      room.take(end, end.chars, () => forget(end));
      for (const oldest of ends) {
        if (ends.size <= MAX_CONVERSATIONS) break;
        forget(oldest);
      }
      return { chain, tokens };
    },
  };
}

function placeBehind(before: Place | undefined, link: Link, message: Message | undefined): Place {
  const chars = (before?.chars ?? 0) + (message ? charsOf(message) : 0);
  return { link, before, message, next: [], tokens: undefined, chars, isEnd: false };
}
