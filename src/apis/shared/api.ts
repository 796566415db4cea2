import type { Dialect, ModelRequest, StopReason, Usage } from "../../core/types.ts";
import type { Json } from "./fields.ts";
import type { ToolHosting } from "./hosting.ts";
import type { MadeSummary, NativeCompaction } from "./native.ts";
import type { Provider } from "./providers.ts";
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
  /** The object in which cap and temperature stand. Left out: the body itself. */
  readonly settings?: string;
  /** The names of the answer's cap, the usual one last. */
  readonly caps: readonly string[];
  /** A lower cap is refused (tokens). */
  readonly leastCap?: number;
}

/** One API of a provider: what its requests, its answers and their event streams look like. All of it is pure. */
export interface Api {
  /** Names it in metrics, logs and keys. */
  readonly api: string;
  /** Whose API it is. */
  readonly provider: Provider;
  /** Where its requests are asked; where the path itself says more, what these paths begin with. */
  readonly path: string;
  /** The path that asks a model, where it names the model. */
  pathOf?(model: string, streamed: boolean): string;
  /** Does a path ask a model? Left out: the one path does. */
  isAsked?(path: string): boolean;
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

/** One API of a provider with what only a server in front of the provider needs. */
export interface ServedApi extends Api {
  /** Only of an API whose paths name the model. */
  readonly routing?: Routing;
  withoutThinking(body: Json): Json;
  /** The request without thinking where its tool loop under way can't be thought in. Left out: any loop can be. */
  withLoopThinking?(body: Json): Json;
  /** A stream is one JSON list, unless a client asks for events. */
  readonly streamsLists?: true;
  /** What the last event of a stream is or is called: from it on, the client may take the answer as whole. */
  readonly endMarkers: readonly string[];
  /** The event that tells a client that its streamed answer broke off. Default: the error as it is. */
  brokenOff?(error: { readonly code: string; readonly message: string }): Json;
  /** How a chat of the page asks in this API. */
  readonly chat: ChatDefaults;
  /** Does a client say by its headers that it speaks this API, whatever the path? */
  isSpokenBy?(headers: Readonly<Record<string, unknown>>): boolean;
  /** Does this server speak it, and not just any API? Default: those of the provider. */
  isAt?(hostname: string): boolean;
  /** How it is asked for summaries. Left out: they are asked for in the usual API. */
  readonly asking?: Asking;
  /** System messages may stand only in certain places: one that a view hides goes into the system prompt. */
  readonly movesLaterSystem: boolean;
  /** Does a request stand on something that only the provider has? Nobody else may change it then. */
  isPartial?(body: Json): boolean;
  /** The compaction that the provider has itself; undefined where it has none. */
  readonly native?: NativeCompaction;
  /** How the API carries tools that precis answers itself; undefined where it can't. */
  readonly hosting?: ToolHosting;
  /** The route that counts a request's tokens, and its answer. */
  readonly counting?: {
    readonly path: string;
    answer(counted: Counted): Json;
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
}

interface ChatDefaults {
  /** Fields of its requests beside model, messages and stream. */
  readonly fields: Json;
  /** The cap on an answer that a chat gets which sets none; undefined where the provider needs none (tokens). */
  readonly cap: number | undefined;
  /** The fields of its requests beside messages and system prompt, where an API has others than model, stream and temperature. */
  request?(asked: { readonly temperature: number | undefined }): Json;
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
