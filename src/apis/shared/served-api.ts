import type { Api } from "./api.ts";
import type { Json } from "./fields.ts";
import type { ToolHosting } from "./hosting.ts";
import type { MadeSummary, NativeCompaction } from "./native.ts";

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
  /** Is this a server of the provider whose API it is? It has the provider's own compaction, too. */
  isProvider(hostname: string): boolean;
  /** Providers of this kind: where their base URL ends, and which header carries a key. */
  readonly convention: "openai" | "anthropic" | "gemini";
  /** The API of that convention in which its own model writes summaries. Default: the one that every server has. */
  readonly modelApi?: "responses";
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
  /** The path that asks a model for a stream of events. */
  streamPath(model: string): string;
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
