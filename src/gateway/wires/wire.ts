import type { Dialect, Usage } from "../../core/types.ts";

/** A JSON object as it came over the wire. */
export type Json = { readonly [key: string]: unknown };

/** What the gateway needs to know of a request, whatever API it is for. */
export interface WireRequest {
  readonly model: string;
  readonly transcript: readonly unknown[];
  /** The system prompt, where the format keeps it apart. */
  readonly system: unknown;
  readonly tools: unknown;
  readonly streamed: boolean;
  /** Largest answer in tokens, if the request says. */
  readonly cap: number | undefined;
}

/** What an answer held. */
export interface WireAnswer {
  /** The answer as messages of the transcript; empty if it couldn't be read or had none. */
  readonly messages: readonly unknown[];
  readonly usage: Usage | undefined;
  readonly id: string | undefined;
  /** The provider's own conversation that the answer was added to, if it keeps one. */
  readonly conversation?: string | undefined;
  /** The upstream is still at work on it, or has given it up: what came isn't the answer. */
  readonly isUnfinished?: true;
  /** It ended because it was as long as it might be. */
  readonly isCutOff?: true;
}

/** One API of a provider: how its requests and answers are read and written. */
export interface Wire {
  readonly api: "chat" | "responses" | "messages";
  readonly path: string;
  readonly dialect: Dialect<unknown>;
  /** Throws `RequestFault` on a body that can't be a request of this API. */
  read(body: Json): WireRequest;
  /** The request with another view; everything else stays as it is. */
  write(body: Json, view: { readonly messages: readonly unknown[]; readonly system: unknown }): Json;
  /** The request with thinking switched off. */
  withoutThinking(body: Json): Json;
  /** The request with another cap on the answer. */
  withCap(body: Json, cap: number): Json;
  readJson(answer: Json): WireAnswer;
  readStream(text: string): WireAnswer;
  /** What the last event of a stream is or is called: from it on, the client may take the answer as whole. */
  readonly endMarkers: readonly string[];
  /** The usage object of an answer or of an event, changed. Undefined if there is none. */
  withUsage(data: Json, change: (usage: Json) => Json): Json | undefined;
  /** Name of the field of a usage object that holds the input. */
  readonly inputField: string;
  /** An error as this API's clients expect it. */
  error(status: number, error: { readonly code: string; readonly message: string }): Json;
}
