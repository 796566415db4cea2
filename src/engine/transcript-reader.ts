import { FIRST_LINK, type Link, nextLink } from "../core/chain.ts";
import { sameMessage } from "../core/same-message.ts";
import type { Measure, Message } from "../core/types.ts";

/** Conversations whose hashes and counts are remembered; a busier host pays for a lookup per text instead. */
const MAX_CONVERSATIONS = 32;

/** Hashes and tokens of the messages of one transcript. */
interface Reading {
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly tokens: readonly number[];
}

/** Reads transcripts that mostly are longer versions of ones read before. */
export interface TranscriptReader {
  read(messages: readonly Message[], start: number, measure: Measure): Reading;
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
  /** A remembered transcript ends here. */
  isEnd: boolean;
}

/**
 * Remembers the last few conversations, so that a `fit` costs a comparison of each old message and real work for the new
 * ones only. They are one tree: forks share what they have in common, so that a transcript is compared with one of them
 * up to where they part, and not with each.
 */
export function createTranscriptReader(textHash: (text: string) => string): TranscriptReader {
  const root = placeBehind(undefined, FIRST_LINK, undefined);
  /** Least recently used first. */
  const ends = new Set<Place>();

  const follow = (from: Place, message: Message): Place => {
    for (const known of from.next) {
      if (!sameMessage(known.message!, message)) continue;
      known.message = message;
      return known;
    }
    const place = placeBehind(from, nextLink(from.link, message, textHash), message);
    from.next.unshift(place);
    return place;
  };
  const forget = (end: Place): void => {
    ends.delete(end);
    end.isEnd = false;
    let place = end;
    while (place.before && place.next.length === 0 && !place.isEnd) {
      const { next } = place.before;
      next.splice(next.indexOf(place), 1);
      place = place.before;
    }
  };

  return {
    read(messages, start, measure) {
      const chain = [root.link.hash];
      const tokens = messages.slice(0, start).map((message) => measure.message(message));
      let place = root;
      for (let index = start; index < messages.length; index++) {
        place = follow(place, messages[index]!);
        if (place.tokens?.measure !== measure)
          place.tokens = { measure, count: measure.message(place.message!) };
        chain.push(place.link.hash);
        tokens.push(place.tokens.count);
        // The transcript that ended here has grown: it is remembered by its new end.
        if (place.isEnd) {
          place.isEnd = false;
          ends.delete(place);
        }
      }
      place.isEnd = true;
      ends.add(place);
      for (const oldest of ends) {
        if (ends.size <= MAX_CONVERSATIONS) break;
        forget(oldest);
      }
      return { chain, tokens };
    },
  };
}

function placeBehind(before: Place | undefined, link: Link, message: Message | undefined): Place {
  return { link, before, message, next: [], tokens: undefined, isEnd: false };
}
