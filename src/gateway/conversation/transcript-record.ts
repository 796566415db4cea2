import { type Chain, createChain } from "../../core/chain.ts";
import { cutTo, firstCharacters } from "../../core/first-characters.ts";
import { contentHash } from "../../core/hash.ts";
import { CHARS_PER_TOKEN, charsOf } from "../../core/message-text.ts";
import type { Pause } from "../../core/pause.ts";
import { leadLength } from "../../core/rounds.ts";
import type { Dialect, Message } from "../../core/types.ts";
import { writeHead } from "../../recall/conversation-index.ts";
import type { NewMessage } from "../../stores/server-store.ts";
import { inOneLine } from "../../stores/shared/texts.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import { type WireRequest, withoutClientBlocks } from "../wires/index.ts";

/** A transcript as it is stored. */
export interface Transcript {
  readonly messages: readonly Message[];
  /** Leading system messages; they aren't part of the conversation's identity. */
  readonly start: number;
  readonly wire: readonly unknown[];
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  /** The system prompt and leading system messages as JSON text. */
  head(): string | undefined;
}

/** Messages that are hashed before others have their turn. */
const MESSAGES_AT_ONCE = 64;
/** To hash what is longer and to write it for the store takes others' time (characters). */
const LONG_TEXT_CHARS = 500_000;

/**
 * The transcript of a request: read once, hashed once, when somebody first asks for a hash. A class, because there is one for every
 * request, and objects with getters of their own are slow to make.
 */
export class TranscriptRecord implements Transcript {
  readonly messages: readonly Message[];
  readonly start: number;
  readonly wire: readonly unknown[];
  readonly hasAnswer: boolean;
  /** Others have their turn while it is hashed and written. */
  readonly isLong: boolean;
  readonly #of: OfRequest;
  #growing: Chain | undefined;
  #head: { readonly text: string | undefined } | undefined;

  constructor(wire: readonly unknown[], of: OfRequest) {
    this.messages = wire.map((message) => of.dialect.read(message));
    this.start = leadLength(this.messages, ({ role }) => role);
    this.wire = wire;
    let chars = 0;
    for (const message of this.messages) chars += charsOf(message);
    this.isLong = chars > LONG_TEXT_CHARS;
    this.hasAnswer = this.messages.some(({ role }) => role === "assistant");
    this.#of = of;
  }

  get chain(): readonly string[] {
    return this.#names().hashes;
  }

  head(): string | undefined {
    const { dialect, system } = this.#of;
    this.#head ??= { text: writeHead(dialect, { system, lead: this.wire.slice(0, this.start) }) };
    return this.#head.text;
  }

  /** Names every prefix, with turns for others; whoever asks for the chain has it at once from then on. */
  async hash(pause: Pause): Promise<void> {
    const growing = this.#begin();
    for (let at = this.start + growing.hashes.length - 1; at < this.messages.length; at++) {
      if (at % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await pause();
      growing.add(this.messages[at]!);
    }
    this.#end(growing);
  }

  /** Returns the transcript with the answer to the request. */
  with(answer: readonly unknown[]): Transcript {
    if (answer.length === 0) return this;
    const added = answer.map((message) => this.#of.dialect.read(message));
    const growing = this.#names().copy();
    for (const message of added) growing.add(message);
    return {
      messages: [...this.messages, ...added],
      start: this.start,
      wire: [...this.wire, ...answer],
      chain: growing.hashes,
      head: () => this.head(),
    };
  }

  #names(): Chain {
    if (this.#growing) return this.#growing;
    const growing = this.#begin();
    for (const message of this.messages.slice(this.start + growing.hashes.length - 1)) growing.add(message);
    return this.#end(growing);
  }

  /** As far as the messages were named before. */
  #begin(): Chain {
    return (this.#of.comesAgain && takeChain(this.wire)) || createChain();
  }

  #end(growing: Chain): Chain {
    if (this.#of.comesAgain) keepChain(this.wire, growing.copy());
    this.#growing ??= growing;
    return this.#growing;
  }
}

/** What names and head of a request's own messages are made by. */
interface OfRequest extends Pick<WireRequest, "system"> {
  readonly dialect: Dialect<unknown>;
  /** The messages come again as the same objects. Of others nothing is remembered: their texts are new strings, and to look one up takes longer than to hash it. */
  readonly comesAgain: boolean;
}

export function transcriptRecord(
  dialect: Dialect<unknown>,
  { transcript, system }: Pick<WireRequest, "transcript" | "system">,
  comesAgain = false,
): TranscriptRecord {
  return new TranscriptRecord(transcript, { dialect, system, comesAgain });
}

/** Is there an answer among the messages from one to another, leading system messages not counted? */
export function saysAnswer(
  { messages, start }: Pick<Transcript, "messages" | "start">,
  from: number,
  to = messages.length,
): boolean {
  for (let index = start + from; index < Math.min(start + to, messages.length); index++)
    if (messages[index]!.role === "assistant") return true;
  return false;
}

/** Rough tokens of a stored message, for lists; views are counted exactly. */

/** A message as the store takes it, with its text as it is to be stored. */
export function newMessage(
  { messages, start, chain }: Transcript,
  index: number,
  at: number,
  wire: string,
): NewMessage {
  return {
    hash: chain[index + 1]!,
    role: messages[start + index]!.role,
    wire,
    tokens: Math.ceil(wire.length / CHARS_PER_TOKEN),
    at,
  };
}

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

/** Chains of transcripts whose messages come again as the same objects, by their last message, and forgotten together with it. */
const chains = new WeakMap<object, { readonly transcript: readonly unknown[]; readonly chain: Chain }>();

/** The chain of the messages that a transcript begins with, to be gone on with. */
function takeChain(transcript: readonly unknown[]): Chain | undefined {
  const stop = Math.max(0, transcript.length - LOOK_BACK);
  for (let at = transcript.length - 1; at >= stop; at--) {
    const last = transcript[at];
    const known = isObject(last) ? chains.get(last) : undefined;
    if (!isObject(last) || !known || known.transcript.length !== at + 1) continue;
    if (!known.transcript.every((message, index) => message === transcript[index])) continue;
    chains.delete(last);
    return known.chain;
  }
  return undefined;
}

function keepChain(transcript: readonly unknown[], chain: Chain): void {
  const last = transcript.at(-1);
  if (isObject(last)) chains.set(last, { transcript, chain });
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
