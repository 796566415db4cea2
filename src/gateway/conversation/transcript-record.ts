import { type Chain, createChain } from "../../core/chain.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { cutTo, firstCharacters } from "../../core/first-characters.ts";
import { contentHash } from "../../core/hash.ts";
import { charsOf } from "../../core/message-text.ts";
import { leadLength } from "../../core/rounds.ts";
import { runNow, type Steps } from "../../core/steps.ts";
import { stringifySteps } from "../../core/stringify-steps.ts";
import type { Dialect, Message } from "../../core/types.ts";
import { writeHead } from "../../recall/stored-head.ts";
import type { NewMessage } from "../../stores/server-store.ts";
import { inOneLine } from "../../stores/shared/clean-text.ts";
import { redactSecrets, redactSteps } from "../compaction/redact-secrets.ts";
import { withoutClientBlocks } from "../wires/client-words.ts";
import type { WireRequest } from "../wires/index.ts";

/** A transcript as it was read. */
interface ReadTranscript {
  readonly messages: readonly Message[];
  readonly start: number;
  readonly wire: readonly unknown[];
}

/** What names and head of a request's own messages are made by. */
interface OfRequest extends Pick<WireRequest, "system"> {
  readonly dialect: Dialect<unknown>;
  textHash(text: string): string;
  readonly chains: KnownChains | undefined;
}

/** The record that an answer was added to, and the chain with the answer. */
interface OfRecord {
  readonly before: TranscriptRecord;
  readonly growing: Chain;
}

interface Hashed {
  readonly growing: Chain;
  readonly chain: readonly string[];
}

/** Messages that are hashed in one step. */
const MESSAGES_AT_ONCE = 64;

/**
 * A request's transcript as it is stored: read once, hashed once, when somebody first asks for a hash. A class, because
 * there is one for every request: objects with getters of their own are slow to make, and what a generator function of
 * their own refers to stays until all of the heap is collected.
 */
export class TranscriptRecord {
  readonly messages: readonly Message[];
  /** Leading system messages; they aren't part of the conversation's identity. */
  readonly start: number;
  readonly wire: readonly unknown[];
  readonly hasAnswer: boolean;
  readonly #of: OfRequest | OfRecord;
  #hashed: Hashed | undefined;
  #head: { readonly text: string | undefined } | undefined;

  constructor({ messages, start, wire }: ReadTranscript, of: OfRequest | OfRecord) {
    this.messages = messages;
    this.start = start;
    this.wire = wire;
    this.hasAnswer = messages.some(({ role }) => role === "assistant");
    this.#of = of;
    this.#hashed = "growing" in of ? hashedBy(of.growing) : undefined;
  }

  /** `chain[n]` names the first n messages after the leading system messages. */
  get chain(): readonly string[] {
    return this.#asHashed().chain;
  }

  /** The chain as it grows; only the newest record of a request may add to it. */
  get growing(): Chain {
    return this.#asHashed().growing;
  }

  /** The system prompt and leading system messages as JSON text. */
  head(): string | undefined {
    this.#head ??= { text: this.#writeHead() };
    return this.#head.text;
  }

  /** Names every prefix in steps; whoever asks for the chain has it at once from then on. */
  *hashSteps(): Steps<void> {
    if (this.#hashed || "growing" in this.#of) return;
    const { textHash, chains } = this.#of;
    const known = chains?.take(this.wire);
    const growing = known?.chain ?? createChain(textHash);
    for (let at = known?.length ?? this.start; at < this.messages.length; at++) {
      if (at % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) yield;
      growing.add(this.messages[at]!);
    }
    chains?.keep(this.wire, growing.copy());
    this.#hashed ??= hashedBy(growing);
  }

  #asHashed(): Hashed {
    if (!this.#hashed) runNow(this.hashSteps());
    return this.#hashed!;
  }

  #writeHead(): string | undefined {
    if ("before" in this.#of) return this.#of.before.head();
    const { dialect, system } = this.#of;
    return writeHead(dialect, { system, lead: this.wire.slice(0, this.start) });
  }
}

function hashedBy(growing: Chain): Hashed {
  return { growing, chain: [...growing.hashes] };
}

export function transcriptRecord(
  dialect: Dialect<unknown>,
  { transcript, system }: Pick<WireRequest, "transcript" | "system">,
  textHash: (text: string) => string,
  chains?: KnownChains,
): TranscriptRecord {
  const messages = transcript.map((message) => dialect.read(message));
  const start = leadLength(messages, ({ role }) => role);
  return new TranscriptRecord({ messages, start, wire: transcript }, { dialect, system, textHash, chains });
}

export function withAnswer(
  record: TranscriptRecord,
  dialect: Dialect<unknown>,
  answer: readonly unknown[],
): TranscriptRecord {
  const added = answer.map((message) => dialect.read(message));
  const { growing } = record;
  for (const message of added) growing.add(message);
  return new TranscriptRecord(
    {
      messages: [...record.messages, ...added],
      start: record.start,
      wire: [...record.wire, ...answer],
    },
    { before: record, growing },
  );
}

/** Rough tokens of a stored message, for lists; views are counted exactly. */
const CHARS_PER_TOKEN = 4;

/** Messages at whose end an answer ends. */
export function ending(messages: readonly NewMessage[], answerId: string): readonly NewMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, answer: answerKey(answerId) } : message,
  );
}

export function newMessage(record: TranscriptRecord, index: number, at: number, redact: boolean): NewMessage {
  return runNow(newMessageSteps(record, index, at, redact));
}

/** `newMessage` in steps: a long message takes a while to write. */
export function* newMessageSteps(
  record: TranscriptRecord,
  index: number,
  at: number,
  redact: boolean,
): Steps<NewMessage> {
  const message = record.messages[record.start + index]!;
  const wire = record.wire[record.start + index];
  const text = isLongTranscript([message]) ? yield* stringifySteps(wire) : stringifyDeep(wire);
  return {
    hash: record.chain[index + 1]!,
    role: message.role,
    wire: redact ? yield* redactSteps(text) : text,
    tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    at,
  };
}

/** Would it take others' time to hash a transcript and to write it for the store at once? */
export function isLongTranscript(messages: readonly Message[]): boolean {
  let chars = 0;
  return messages.some((message) => {
    chars += charsOf(message);
    return chars > LONG_TEXT_CHARS;
  });
}

/** What is longer is hashed and written in steps (characters). */
const LONG_TEXT_CHARS = 500_000;

const TITLE_CHARS = 80;
/** A title is made from the beginning of a message, tags and white space left out. */
const TITLE_FROM_CHARS = 500;

/** The first words of the user. */
export function titleOf(messages: readonly Message[]): string {
  return firstWords(messages, withoutClientBlocks) || firstWords(messages, (text) => text);
}

function firstWords(messages: readonly Message[], own: (text: string) => string): string {
  for (const message of messages) {
    if (message.role !== "user") continue;
    for (const part of message.parts) {
      const text = part.type === "text" ? plainBeginning(own(part.text)) : "";
      if (text !== "") return cutTo(text, TITLE_CHARS);
    }
  }
  return "";
}

/** Most messages begin with enough plain words for a title; only others are looked at further. */
function plainBeginning(text: string): string {
  const first = firstCharacters(text, 2 * TITLE_CHARS);
  const plain = first.includes("<") ? "" : inOneLine(first);
  if (plain.length > TITLE_CHARS) return plain;
  return inOneLine(firstCharacters(text, TITLE_FROM_CHARS).replace(/<[^>]{0,200}>/g, " "));
}

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;

/** Chains of transcripts whose messages come again as the same objects, each with a few more. */
export interface KnownChains {
  /** The chain of the messages that a transcript begins with, to be gone on with. */
  take(transcript: readonly unknown[]): { readonly chain: Chain; readonly length: number } | undefined;
  keep(transcript: readonly unknown[], chain: Chain): void;
}

/** Each is found by its last message, and forgotten together with it. */
export function createKnownChains(): KnownChains {
  const byLast = new WeakMap<object, { readonly transcript: readonly unknown[]; readonly chain: Chain }>();
  return {
    take(transcript) {
      const stop = Math.max(0, transcript.length - LOOK_BACK);
      for (let at = transcript.length - 1; at >= stop; at--) {
        const last = transcript[at];
        const known = isObject(last) ? byLast.get(last) : undefined;
        if (!isObject(last) || !known || known.transcript.length !== at + 1) continue;
        if (!known.transcript.every((message, index) => message === transcript[index])) continue;
        byLast.delete(last);
        return { chain: known.chain, length: at + 1 };
      }
      return undefined;
    },
    keep(transcript, chain) {
      const last = transcript.at(-1);
      if (isObject(last)) byLast.set(last, { transcript, chain });
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Ids of answers as every provider makes them. */
const PLAIN = /^[\x21-\x7e]{1,200}$/;

/** What an answer is found by in the store: its id, or a hash of one that the store can't hold or that looks like a secret. */
export function answerKey(id: string): string {
  return PLAIN.test(id) && redactSecrets(id) === id ? id : `hash:${contentHash(id)}`;
}
