import type { createWires } from "./exchange.ts";

/** The APIs that the fake provider speaks: Chat Completions, Responses, Anthropic Messages, Gemini. */
export type FakeApi = keyof ReturnType<typeof createWires>;

/** A request's body, as it came. */
export type FakeBody = Readonly<Record<string, unknown>>;

/** A request as the author of a reply sees it. */
export interface FakeRequest {
  /** Counts the requests for an answer, from 0. */
  readonly number: number;
  readonly api: FakeApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: FakeBody;
  /** The body's own bytes. */
  readonly raw: string;
  readonly model: string;
  readonly streamed: boolean;
  /** Every text that the model would read, oldest first. Reasoning is left out. */
  readonly messages: readonly FakeMessage[];
  /** What the user said last. */
  readonly lastUser: string;
  /** Names of the tools that may be called. */
  readonly tools: readonly string[];
  /** Largest answer in tokens; undefined if the request doesn't say. */
  readonly cap: number | undefined;
  readonly tokens: FakeTokens;
}

/** One message of a request, in words. */
export interface FakeMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

/** What a request costs. */
export interface FakeTokens {
  /** All of the input, cached or not. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** A request with what became of it. */
export interface RecordedRequest extends FakeRequest {
  /** 0 while there is no answer yet. */
  readonly status: number;
  /** The words of the refusal. */
  readonly error: string | undefined;
  readonly fault: FaultName | undefined;
  readonly outputTokens: number;
}

/** A tool call in a reply. */
export interface FakeCall {
  readonly name: string;
  readonly args?: unknown;
  readonly id?: string;
}

/** What the model says. A text alone is an ordinary answer. */
export type FakeReply =
  | string
  | {
      readonly text?: string;
      readonly calls?: readonly FakeCall[];
      readonly reasoning?: string;
      /** Default: what goes with the content. */
      readonly stop?: "end" | "length" | "refusal" | "content-filter";
      /** Wait before the first byte. */
      readonly delayMs?: number;
    };

/** Writes replies; sees the request. */
export type FakeReplier = (request: FakeRequest) => FakeReply | Promise<FakeReply>;

/** What can go wrong. */
export type FaultName =
  /** Answers after `ms` (default 200). */
  | "slow"
  /** Never answers. */
  | "never"
  /** 429, with `retry-after` of `ms` (default 1 s). */
  | "rate-limited"
  /** 500. */
  | "server-error"
  /** Anthropic's 529, OpenAI's 503. */
  | "overloaded"
  /** The connection breaks, in the middle of a stream or of the answer. */
  | "reset"
  /** An answer without words. */
  | "empty"
  /** The same words again and again. */
  | "garbage"
  | "refusal"
  /** Cut off at the answer's cap. */
  | "cut-off"
  /** The provider's own "too long", whatever the size. */
  | "too-long"
  /** 200, and not JSON. */
  | "wrong-json"
  /** 401. */
  | "unauthorized";

/** A fault by its name, or with its time. */
export type Fault = FaultName | { readonly type: FaultName; readonly ms?: number };

/** How the provider's prompt cache works. */
export interface FakeCacheOptions {
  /** The least that is cached. Default 1,024 tokens. */
  readonly minTokens?: number;
  /** Time-to-live. Default 5 minutes, prolonged by use; Anthropic's `ttl: "1h"` lasts 12 times as long. */
  readonly ttlMs?: number;
}

/**
 * Models that want their reasoning back with the calls that it led to, each in its own way: DeepSeek and Kimi (from both of their
 * APIs), Gemini by Google's own endpoint, Gemini by OpenRouter.
 */
export type FakeFamily = "deepseek" | "kimi" | "gemini" | "openrouter";

/** What `startFakeProvider` takes. Everything has a default. */
export interface FakeProviderOptions {
  /** Context size in tokens, enforced with the provider's own error. Default 200,000. */
  readonly window?: number;
  /** Largest answer in tokens. Default 64,000. */
  readonly maxOutput?: number;
  /** One for every request, a list that is used up, or a function. Default `OK.` */
  readonly reply?: FakeReply | readonly FakeReply[] | FakeReplier;
  /** One for each request in turn (undefined for none), or a function. */
  readonly faults?: readonly (Fault | undefined)[] | ((request: FakeRequest) => Fault | undefined);
  /** Names of the models at `/v1/models`. Requests may name others. */
  readonly models?: readonly string[];
  /** Requests without it are refused. Default: any key, or none. */
  readonly apiKey?: string;
  /** How text is counted. Default characters ÷ 4. */
  readonly count?: (text: string) => number;
  readonly cache?: FakeCacheOptions;
  /** `strict`: two messages of the same role in a row are refused, as older servers do. Default `merged`. */
  readonly alternation?: "strict" | "merged";
  /** `ignore`: takes fields that OpenAI doesn't know, as servers that imitate it do. Default `refuse`. */
  readonly unknownFields?: "refuse" | "ignore";
  /** `none`: signed thinking isn't bound to what stands before it. Default: `none` for Claude up to 5.0, `prefix` for all others. */
  readonly binding?: "prefix" | "none";
  /** Answers and refuses as these models do. Default: OpenAI's and Anthropic's own. */
  readonly family?: FakeFamily;
  /** Another provider's answer to a request that is too long. Default: the API's own. */
  readonly tooLong?: (tokens: number, window: number) => { readonly status: number; readonly body: unknown };
  /** The clock of the cache. Default `Date.now`. */
  readonly now?: () => number;
}

/** A request that wasn't for an answer. */
export interface OtherRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
}

/** A running fake provider. */
export interface FakeProvider {
  /** `http://127.0.0.1:PORT`. OpenAI's clients want `/v1` behind it, Anthropic's don't. */
  readonly url: string;
  /** Every request for an answer, in order, refused ones included. */
  readonly requests: readonly RecordedRequest[];
  /** Everything else that was asked for: lists of models, counts of tokens, paths that don't exist. */
  readonly otherRequests: readonly OtherRequest[];
  /** Makes the next request fail, before those that were announced earlier. */
  failNext(...faults: readonly Fault[]): void;
  /** Replaces what it answers. */
  setReply(reply: NonNullable<FakeProviderOptions["reply"]>): void;
  close(): Promise<void>;
}
