import { type Chain, createChain } from "../../core/chain.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { WireRequest } from "../wires/wire.ts";
import type { KnownChains } from "./known-chains.ts";
import { writeHead } from "./stored-head.ts";

/**
 * A request's transcript as it is stored: read once, hashed once, when somebody first asks for a hash. A class, because
 * there is one for every request: objects with getters of their own are slow to make, and slow to get rid of.
 */
export class TranscriptRecord {
  readonly messages: readonly Message[];
  /** Leading system messages; they aren't part of the conversation's identity. */
  readonly start: number;
  readonly wire: readonly unknown[];
  readonly hasAnswer: boolean;
  readonly #hash: () => Chain;
  readonly #writeHead: () => string | undefined;
  #hashed: { readonly growing: Chain; readonly chain: readonly string[] } | undefined;
  #head: { readonly text: string | undefined } | undefined;

  constructor(of: {
    readonly messages: readonly Message[];
    readonly start: number;
    readonly wire: readonly unknown[];
    hash(): Chain;
    writeHead(): string | undefined;
  }) {
    this.messages = of.messages;
    this.start = of.start;
    this.wire = of.wire;
    this.hasAnswer = of.messages.some(({ role }) => role === "assistant");
    this.#hash = of.hash;
    this.#writeHead = of.writeHead;
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

  #asHashed() {
    if (this.#hashed) return this.#hashed;
    const growing = this.#hash();
    this.#hashed = { growing, chain: [...growing.hashes] };
    return this.#hashed;
  }
}

export function transcriptRecord(
  dialect: Dialect<unknown>,
  { transcript, system }: Pick<WireRequest, "transcript" | "system">,
  textHash: (text: string) => string,
  chains?: KnownChains,
): TranscriptRecord {
  const messages = transcript.map((message) => dialect.read(message));
  let start = 0;
  while (messages[start]?.role === "system") start++;
  return new TranscriptRecord({
    messages,
    start,
    wire: transcript,
    hash() {
      const known = chains?.take(transcript);
      const growing = known?.chain ?? createChain(textHash);
      for (let at = known?.length ?? start; at < messages.length; at++) growing.add(messages[at]!);
      chains?.keep(transcript, growing.copy());
      return growing;
    },
    writeHead: () => writeHead(dialect, { system, lead: transcript.slice(0, start) }),
  });
}

/** The end of an answer for a client that sends it back without its reasoning; undefined if that is the same. */
export function endWithoutReasoning(
  record: TranscriptRecord,
  dialect: Dialect<unknown>,
  answer: readonly unknown[],
): string | undefined {
  // Most answers are one message.
  if (answer.length < 2) return undefined;
  const messages = answer.map((message) => dialect.read(message));
  const said = messages.filter((message) => !isOnlyReasoning(message));
  if (said.length === messages.length || said.length === 0) return undefined;
  const growing = record.growing.copy();
  for (const message of said) growing.add(message);
  return growing.hashes.at(-1);
}

/** The record with an answer at its end. */
export function withAnswer(
  record: TranscriptRecord,
  dialect: Dialect<unknown>,
  answer: readonly unknown[],
): TranscriptRecord {
  const added = answer.map((message) => dialect.read(message));
  const { growing } = record;
  for (const message of added) growing.add(message);
  return new TranscriptRecord({
    messages: [...record.messages, ...added],
    start: record.start,
    wire: [...record.wire, ...answer],
    hash: () => growing,
    writeHead: () => record.head(),
  });
}
