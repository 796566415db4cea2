import { createChain } from "../core/chain.ts";
import { stringifyDeep } from "../core/deep-json.ts";
import type { Measure, Message, Part } from "../core/types.ts";

/** Conversations whose hashes and counts are remembered; a busier host pays for a lookup per text instead. */
const MAX_CONVERSATIONS = 32;

/** Hashes and tokens of the messages of one transcript. */
export interface Reading {
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly tokens: readonly number[];
}

/** Reads transcripts that mostly are longer versions of ones read before. */
export interface SeenMessages {
  read(messages: readonly Message[], start: number, measure: Measure): Reading;
}

interface Entry {
  readonly measure: Measure;
  readonly chain: ReturnType<typeof createChain>;
  /** What was read last time, after the leading system messages. Compared by content, never by identity. */
  messages: readonly Message[];
  readonly tokens: number[];
}

/**
 * Remembers the last few conversations, so that a `fit` costs a comparison of each old message and real work for the new
 * ones only. A transcript that doesn't begin with what was seen (an edit, a fork) is read from its start.
 */
export function createSeenMessages(textHash: (text: string) => string): SeenMessages {
  let entries: Entry[] = [];
  return {
    read(messages, start, measure) {
      const own = messages.slice(start);
      const entry: Entry = entries.find((one) => one.measure === measure && begins(own, one.messages)) ?? {
        measure,
        chain: createChain(textHash),
        messages: [],
        tokens: [],
      };
      for (let index = entry.messages.length; index < own.length; index++) {
        entry.chain.add(own[index]!);
        entry.tokens.push(measure.message(own[index]!));
      }
      entry.messages = own;
      entries = [entry, ...entries.filter((one) => one !== entry)].slice(0, MAX_CONVERSATIONS);
      const leading = messages.slice(0, start).map((message) => measure.message(message));
      return { chain: [...entry.chain.hashes], tokens: [...leading, ...entry.tokens] };
    },
  };
}

function begins(messages: readonly Message[], prefix: readonly Message[]): boolean {
  return prefix.length <= messages.length && prefix.every((one, at) => same(one, messages[at]!));
}

function same(a: Message, b: Message): boolean {
  return (
    a.role === b.role &&
    a.parts.length === b.parts.length &&
    a.parts.every((part, at) => samePart(part, b.parts[at]!))
  );
}

function samePart(a: Part, b: Part): boolean {
  if (a.type === "text") return b.type === "text" && a.text === b.text;
  if (a.type === "tool-call")
    return (
      b.type === "tool-call" &&
      a.id === b.id &&
      a.name === b.name &&
      a.locked === b.locked &&
      a.args === b.args
    );
  if (a.type === "tool-result" && a.media === undefined)
    return (
      b.type === "tool-result" &&
      b.media === undefined &&
      a.id === b.id &&
      a.name === b.name &&
      a.error === b.error &&
      a.locked === b.locked &&
      a.text === b.text
    );
  return stringifyDeep(a) === stringifyDeep(b);
}
