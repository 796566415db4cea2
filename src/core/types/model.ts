import type { DialectId } from "./dialect.ts";
import type { Usage } from "./tokens.ts";

/** One message of a request to a summariser: plain words, framed as data by the prompt. */
export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What a model is asked. */
export interface ModelRequest {
  /** Names the request in logs, metrics and, where the provider has a field for it, on the wire (`summarize-full`). */
  readonly name: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /**
   * The conversation's own last request, to be sent again byte for byte with `messages` appended to its messages, so
   * that the provider's prompt cache is hit. `system` is then left out: it is the request's own.
   */
  readonly continues?: unknown;
  /** Largest answer in tokens. */
  readonly cap: number;
  /** Left out where the model refuses it. */
  readonly temperature?: number;
  readonly signal?: AbortSignal;
}

/** Why a model stopped. Only `end` is a whole answer. */
export type StopReason = "end" | "length" | "refusal" | "tool-call" | "other";

/** What a model answered. */
export interface ModelReply {
  readonly text: string;
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model that really answered, when the provider says so. */
  readonly model?: string;
}

/** A model that can write a summary. Failures are `ModelError`s that say whether trying again makes sense. */
export interface Model {
  readonly id: string;
  /** Its context size in tokens, if it isn't the registry's. */
  readonly window?: number;
  /** The wire format of its `continues` requests; undefined if it can't continue one. */
  readonly continues?: DialectId;
  /** Whose key pays for it, where that can be told: reports repeat it. */
  readonly key?: "client" | "server";
  complete(request: ModelRequest): Promise<ModelReply>;
  /** Asks its server for its context size; undefined where that isn't told. Called once, where nobody else knows. */
  findWindow?(signal: AbortSignal): Promise<number | undefined>;
}

/** A function that has a request answered by a model: the shortest way to bring one of your own. Its name stands for the model's in reports. */
export type Summarize = ((
  request: ModelRequest,
) => Promise<string | (Pick<ModelReply, "text"> & Partial<ModelReply>)>) & {
  /** The model's context size in tokens, with `Object.assign`. Default: the chat's own. */
  readonly window?: number;
};
