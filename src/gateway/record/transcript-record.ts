import { type Chain, createChain } from "../../core/chain.ts";
import { isOnlyReasoning } from "../../core/rounds.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { WireRequest } from "../wires/wire.ts";
import type { KnownChains } from "./known-chains.ts";
import { writeHead } from "./stored-head.ts";

/** A request's transcript as it is stored: read once, hashed once, when somebody first asks for a hash. */
export interface TranscriptRecord {
  readonly messages: readonly Message[];
  /** Leading system messages; they aren't part of the conversation's identity. */
  readonly start: number;
  /** `chain[n]` names the first n messages after the leading system messages. */
  readonly chain: readonly string[];
  readonly wire: readonly unknown[];
  /** The system prompt and leading system messages as JSON text. */
  readonly head: () => string | undefined;
  readonly hasAnswer: boolean;
  /** The chain as it grows; only the newest record of a request may add to it. */
  readonly growing: Chain;
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
  const hash = () => {
    const known = chains?.take(transcript);
    const growing = known?.chain ?? createChain(textHash);
    for (let at = known?.length ?? start; at < messages.length; at++) growing.add(messages[at]!);
    chains?.keep(transcript, growing.copy());
    return { growing, chain: [...growing.hashes] };
  };
  let hashed: ReturnType<typeof hash> | undefined;
  let head: { readonly text: string | undefined } | undefined;
  return {
    messages,
    start,
    get chain() {
      hashed ??= hash();
      return hashed.chain;
    },
    get growing() {
      hashed ??= hash();
      return hashed.growing;
    },
    wire: transcript,
    head: () => {
      head ??= { text: writeHead(dialect, { system, lead: transcript.slice(0, start) }) };
      return head.text;
    },
    hasAnswer: messages.some(({ role }) => role === "assistant"),
  };
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
  for (const message of added) record.growing.add(message);
  return {
    ...record,
    messages: [...record.messages, ...added],
    wire: [...record.wire, ...answer],
    chain: [...record.growing.hashes],
    hasAnswer: true,
  };
}
