import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "../../apis/shared/fields.ts";
import type { ToolHosting } from "../../apis/shared/hosting.ts";
import type { MadeSummary, NativeCompaction } from "../../apis/shared/native.ts";
import type { Dialect, Model, Usage } from "../../core/types.ts";

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
  /** Names it in metrics, logs and keys. */
  readonly api: string;
  /** Where its requests are asked; where the path itself says more, what these paths begin with. */
  readonly path: string;
  /** Only of an API whose paths name the model. */
  readonly routing?: Routing;
  readonly dialect: Dialect<unknown>;
  /** Throws `RequestFault` on a body that can't be a request of this API. The path comes with its query. */
  read(body: Json, path: string): WireRequest;
  /** The request with another view; everything else stays as it is. */
  write(body: Json, view: { readonly messages: readonly unknown[]; readonly system: unknown }): Json;
  withoutThinking(body: Json): Json;
  /** The request without thinking where its tool loop under way can't be thought in. Left out: any loop can be. */
  withLoopThinking?(body: Json): Json;
  withCap(body: Json, cap: number): Json;
  readJson(answer: Json): WireAnswer;
  readStream(text: string): WireAnswer;
  /** A stream is one JSON list, unless a client asks for events. */
  readonly streamsLists?: true;
  /** What the last event of a stream is or is called: from it on, the client may take the answer as whole. */
  readonly endMarkers: readonly string[];
  /** The usage object of an answer or of an event, changed. Undefined if there is none. */
  withUsage(data: Json, change: (usage: Json) => Json): Json | undefined;
  /** Name of the field of a usage object that holds the input. */
  readonly inputField: string;
  /** Name of the one that holds input and output together. Default `total_tokens`. */
  readonly totalField?: string;
  /** Official clients refuse fields of a usage object that they don't know. */
  readonly hasStrictUsage?: true;
  error(status: number, error: { readonly code: string; readonly message: string }): Json;
  /** The event that tells a client that its streamed answer broke off. */
  brokenOff(status: number, error: { readonly code: string; readonly message: string }): string;
  /** What an event of a stream adds to the answer, for people who watch it being written. */
  delta(event: Json): Delta | undefined;
  /** How a chat of the page asks in this API. */
  readonly chat: ChatDefaults;
  /** Does a client say by its headers that it speaks this API, whatever the path? */
  isSpokenBy?(headers: IncomingHttpHeaders): boolean;
  /** Is this a server of the provider whose API it is? It has the provider's own compaction, too. */
  isProvider(hostname: string): boolean;
  /** Providers of this kind: where their base URL ends, and which header carries a key. */
  readonly convention: "openai" | "anthropic" | "gemini";
  /** A client of the provider that writes summaries. */
  summarizer(options: SummarizerOptions): Model;
  /** System messages may stand only in certain places: one that a view hides goes into the system prompt. */
  readonly movesLaterSystem: boolean;
  /** Does a request stand on something that only the provider has? Nobody else may change it then. */
  isPartial?(body: Json): boolean;
  /** How a request goes on from an answer that it only names; undefined where it can't. */
  readonly naming?: AnswerNaming;
  /** The compaction that the provider has itself; undefined where it has none. */
  readonly native?: NativeCompaction;
  /** How the API carries tools that precis answers itself; undefined where it can't. */
  readonly hosting?: ToolHosting;
  /** The route that counts a request's tokens, and its answer. */
  readonly counting?: {
    readonly path: string;
    answer(counted: Counted): Json;
    /** How a provider is asked to count the request at a path of this API. */
    ask(body: Json, path: string): CountRequest;
    /** What a provider counted. */
    told(answer: Json): number | undefined;
  };
  /** The route that does nothing but compact. */
  readonly compacting?: {
    readonly path: string;
    items(body: Json): readonly unknown[];
    answer(made: MadeSummary, items: readonly unknown[]): Json;
  };
}

export type Route = "answer" | "count" | "compaction";

/** How the paths of an API are read that name a model. */
interface Routing {
  /** Is it a path of this API, whatever it is for? It may have a query. */
  isAt(path: string): boolean;
  routeOf(path: string): Route | undefined;
  /** Its paths for people to read, with MODEL for the name of one. */
  readonly written: readonly (readonly [path: string, route: Route])[];
  /** The path that asks a model for a stream of events. */
  streamPath(model: string): string;
}

export interface Delta {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  /** The model has said all that it wanted to say. */
  readonly isEnd?: boolean;
  /** The provider gives the answer up in the middle of it: why. */
  readonly error?: string | undefined;
}

interface ChatDefaults {
  /** Fields of its requests beside model, messages and stream. */
  readonly fields: Json;
  /** The cap on an answer that a chat gets which sets none; undefined where the provider needs none (tokens). */
  readonly cap: number | undefined;
  /** The fields of its requests beside messages and system prompt, where an API has others than model, stream and temperature. */
  request?(asked: { readonly temperature: number | undefined }): Json;
}

interface SummarizerOptions {
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  readonly window?: number;
  /** The address of a path of ours (`/v1/…`) at the upstream. */
  addressOf(path: string): string;
  /** The conversation's own model writes them. */
  readonly isSame: boolean;
}

/** What a request goes on from without sending it. */
export interface NamedBefore {
  readonly response: string | undefined;
  readonly conversation: string | undefined;
}

interface AnswerNaming {
  namedIn(body: Json): NamedBefore;
  /** The request with what came before in place of its name. */
  rebuilt(body: Json, before: readonly unknown[]): Json;
  /** The id of the answer that a path is about, and nothing below it. */
  answerAt(path: string): string | undefined;
  /** Where the provider tells of a conversation that it keeps. */
  conversationPath(id: string): string;
  /** May the answer be named later? */
  keeps(body: Json): boolean;
  /** Does an answer say that the upstream passed over what was named? */
  passedOver(answer: Json): boolean;
}

/** A request that has another one counted. */
export interface CountRequest {
  readonly path: string;
  readonly body: Json;
}

/** The tokens of a request. */
interface Counted {
  readonly input: number;
  /** Before the edits that it asks for. */
  readonly original: number;
  readonly hasEdits: boolean;
  /** The client uses features that are still being tried. */
  readonly isBeta: boolean;
}
