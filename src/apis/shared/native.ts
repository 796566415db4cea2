import { contentHash } from "../../core/hash.ts";
import { isJson, type Json, parseJson, textOf } from "./fields.ts";
import { sealText, unsealText } from "./media.ts";

/** What a request asks of the provider's own compaction. */
export interface NativeWish {
  /** Needs the provider's own memory or compaction: forwarded untouched where the upstream has it. */
  readonly isNative: boolean;
  /** Goes on from messages that only the provider has, or asks it to keep them. */
  readonly isThread: boolean;
  /** Answer with a summary and nothing else. */
  readonly summarize: boolean;
  readonly instructions: string | undefined;
  /** Compact from so many tokens on. */
  readonly threshold: number | undefined;
  /** Answer with the summary alone when the threshold is reached. */
  readonly pauses: boolean;
  /** Edits of messages, in their order. */
  readonly edits: readonly Json[];
}

/** A request that asks for none of it. */
export const NO_WISH: NativeWish = {
  isNative: false,
  isThread: false,
  summarize: false,
  instructions: undefined,
  threshold: undefined,
  pauses: false,
  edits: [],
};

/** Where a threshold isn't said: Anthropic's default (tokens). */
export const DEFAULT_THRESHOLD = 150_000;

/** A summary and what it cost, to be told in the shapes of a provider. */
export interface MadeSummary {
  readonly model: string;
  readonly text: string;
  /** Tokens that models were paid for to write it: all input, of it what came from a cache, and output. */
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly at: number;
}

/** What else an answer tells about its request. */
export interface SummarizedRequest {
  readonly body: Json;
  /** Edits that were carried out before. */
  readonly applied?: readonly Json[] | undefined;
}

/** What an answer is told beside the provider's own words. */
export interface AnswerRewrite {
  /** The answer with it. */
  json(answer: Json): Json;
  /** The events of a stream with it. One of more than `most` bytes passes as it is. */
  stream(most: number): (piece: Uint8Array, isLast: boolean) => Uint8Array;
}

/** A compaction that was made on the way, to stand first in the answer as the provider's own would. */
export interface Announcement extends AnswerRewrite {
  /** The block or item that the client keeps and sends back. */
  readonly part: Json;
  /** The answer's messages with it, for the transcript. */
  messages(answer: readonly unknown[]): readonly unknown[];
}

/** Messages after a provider's edits, and what each edit did, in the words of its API. */
export interface Cleared {
  readonly messages: readonly unknown[];
  readonly applied: readonly Json[];
}

/** What edits need to know about tokens and about thinking that the upstream wants back. */
export interface ClearingFacts {
  /** Tokens of the whole request. */
  readonly input: number;
  tokensOf(text: string): number;
  needsThinking(message: unknown): boolean;
}

/** The compaction that a provider has in its own API, in its shapes. */
export interface NativeCompaction {
  wish(body: Json): NativeWish;
  /** The body without what only the provider's own API has. */
  plain(body: Json): Json;
  /** Carries out edits of messages for an upstream that doesn't know them. */
  clear?(messages: readonly unknown[], edits: readonly Json[], facts: ClearingFacts): Cleared;
  /** A summary is refused while the last message calls a tool that hasn't answered. */
  readonly needsResults: boolean;
  /** The messages with the summary that stands first where this API wants it. */
  lead(messages: readonly unknown[]): readonly unknown[];
  /** An answer that is nothing but a compaction: one JSON, or the events of a stream. */
  answer(
    made: MadeSummary,
    asked: SummarizedRequest,
  ): { readonly json: Json; readonly events: readonly Json[] };
  announce(made: MadeSummary): Announcement;
  /** Tells what edits were carried out. */
  withAppliedEdits?(applied: readonly Json[]): AnswerRewrite;
  /** Takes out flags of what precis carries out itself: servers that imitate the provider refuse what they don't know. */
  dropFlags(headers: Record<string, unknown>): void;
}

/** Marks a summary of ours in a field that clients send back as it is. */
const MARK = "precis1.";

/** A summary as the opaque text that OpenAI's clients keep and send back. */
export function sealSummary(text: string): string {
  return `${MARK}${sealText(JSON.stringify({ text, proof: contentHash(text) }))}`;
}

/** The summary in an opaque text, if it is one of ours. */
export function unsealSummary(sealed: unknown): string | undefined {
  if (typeof sealed !== "string" || !sealed.startsWith(MARK)) return undefined;
  const value = parseJson(unsealText(sealed.slice(MARK.length)));
  const text = isJson(value) ? textOf(value["text"]) : undefined;
  if (text === undefined || !isJson(value)) return undefined;
  return value["proof"] === contentHash(text) ? text : undefined;
}

/** One made without a model has it already. */
const OPENING = "<conversation-summary>";

/** How a summary that a client sends back stands in a request to a model. */
export function summaryText(text: string): string {
  return text.startsWith(OPENING) ? text : `${OPENING}\n${text}\n</conversation-summary>`;
}
