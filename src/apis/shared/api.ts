import type { Dialect, ModelRequest, StopReason, Usage } from "../../core/types.ts";
import type { Json } from "./fields.ts";
import type { Counting } from "./request.ts";
import type { Reported } from "./usage.ts";

/** What precis needs to know of a request, whatever API it is for. */
export interface ApiRequest {
  readonly model: string;
  readonly transcript: readonly unknown[];
  /** The system prompt, where the format keeps it apart. */
  readonly system: unknown;
  readonly tools: unknown;
  readonly streamed: boolean;
  /** Largest answer in tokens, if the request says. */
  readonly cap: number | undefined;
}

/** What takes the place of a request's messages. */
export interface ApiView {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
}

export interface ApiAnswer {
  /** The answer as messages of the transcript; empty if it couldn't be read or had none. */
  readonly messages: readonly unknown[];
  readonly usage: Usage | undefined;
  /** Why it ended. Undefined: it doesn't say. */
  readonly stop?: StopReason | undefined;
  readonly id: string | undefined;
  readonly model?: string | undefined;
  /** The provider's own conversation that the answer was added to, if it keeps one. */
  readonly conversation?: string | undefined;
  /** The provider is still at work on it, or has given it up: what came isn't the answer. */
  readonly isUnfinished?: true;
}

/** What one event of a stream adds to the answer. */
export interface ApiDelta {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  /** The model has said all that it wanted to say. */
  readonly isEnd?: boolean;
  readonly stop?: StopReason | undefined;
  /** A part of a stream may leave the input out. */
  readonly usage?: Reported | undefined;
  /** The provider gives the answer up in the middle of it: why. */
  readonly error?: string | undefined;
}

/** Where the fields of a request stand that every API has, each under a name of its own. */
export interface RequestFields {
  readonly messages: string;
  /** Left out: the system prompt is a message. */
  readonly system?: string;
  readonly tools: readonly string[];
  /** The names of the answer's cap, the usual one last. */
  readonly caps: readonly string[];
  /** A lower cap is refused (tokens). */
  readonly leastCap?: number;
}

/** One API of a provider: what its requests, its answers and their event streams look like. All of it is pure. */
export interface Api {
  /** Names it in metrics, logs and keys. */
  readonly api: string;
  /** Where its requests are asked; where the path itself says more, what these paths begin with. */
  readonly path: string;
  readonly dialect: Dialect<unknown>;
  readonly fields: RequestFields;
  /** Undefined for a body that can't be a request of this API. The path comes with its query. */
  read(body: Json, path: string): ApiRequest | undefined;
  /** What such a body lacks, as a sentence. */
  readonly lack: string;
  /** The request with another view; everything else stays as it is. */
  write(body: Json, view: ApiView): Json;
  withCap(body: Json, cap: number): Json;
  readAnswer(answer: Json): ApiAnswer;
  /** The answer that would have come in one piece. Of a stream that broke off: as much of it as came. */
  assemble(events: readonly Json[]): Json;
  readEvent(event: Json): ApiDelta | undefined;
  /** An answer of the provider's own conversations names what it goes on from. Undefined: there are none. */
  readonly naming?: AnswerNaming;
  /** Where the provider counts a request. */
  readonly counts?: Counting;
  /** A refusal in the provider's own shape. */
  error(status: number, error: { readonly code: string; readonly message: string }): Json;
}

/** How a request goes on from an answer that it only names. */
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

/** What a request goes on from without sending it. */
export interface NamedBefore {
  readonly response: string | undefined;
  readonly conversation: string | undefined;
}

/** What a request for a summary is made with, beside the request itself. */
export interface AskSettings {
  readonly model: string;
  readonly window: number;
  /** Undefined where the model refuses it. */
  readonly temperature: number | undefined;
}

export interface AskedRequest {
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How an API is asked for a summary. */
export interface Asking {
  readonly api: Api;
  ask(request: ModelRequest, settings: AskSettings): AskedRequest;
  /** The conversation's own request with messages appended. Undefined if it isn't a request of this API. */
  extend(given: Json, request: ModelRequest, settings: AskSettings): AskedRequest | undefined;
}
