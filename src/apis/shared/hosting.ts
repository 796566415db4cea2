import type { Json } from "./fields.ts";

/** A tool that precis adds to requests and answers itself, as a model is told of it. */
export interface HostedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly parameters: object;
}

/** What precis answered to one call of such a tool. */
export interface HostedResult {
  /** The id of the call. */
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Tells by its name whether a tool is one of precis's own. */
export type IsHosted = (name: unknown) => boolean;

/**
 * Passes on the streamed answers of one request, round by round, as if they were one answer: what precis's own tools were
 * called with stays back, and so does the end of each round but the last.
 */
export interface StreamSplice {
  /** What the client gets of an event of the round that is under way. */
  event(event: Json): readonly Json[];
  /** The round under way is too long to be kept: so is what its end would tell again. */
  forget(): void;
  /** Another round begins. */
  nextRound(): void;
  /** The end of the last round, as it came: what tells the client that its answer is whole. */
  end(): readonly Json[];
}

/** Why a request can't have tools of precis's own. */
export type HostingRefusal =
  | "name-taken"
  | "functions"
  | "several-answers"
  | "background"
  | "list-stream"
  | "provider-tools"
  | "json-answer";

/** How an API carries tools that precis answers itself within a client's request. */
export interface ToolHosting {
  /** Undefined: the request can have them. */
  refusal(body: Json, isHosted: IsHosted, path: string): HostingRefusal | undefined;
  /** The request with the tools behind the client's own. */
  offer(body: Json, tools: readonly HostedTool[]): Json;
  /** The request without them: for a model that must call a tool, and has called ours already. */
  withdraw(body: Json, isHosted: IsHosted): Json;
  /** Must the model call some tool, whichever? */
  forcesAny(body: Json): boolean;
  /** An answer as it is sent back in the next round. */
  echo(messages: readonly unknown[], body: Json): readonly unknown[];
  results(results: readonly HostedResult[]): readonly unknown[];
  /** One message of two neighbours that this API wants as one; undefined where they stand by themselves. */
  joined?(before: unknown, after: unknown): unknown;
  /** Answers in one piece, round by round, as one answer without what the client didn't ask for. */
  join(answers: readonly Json[], isHosted: IsHosted): Json;
  splice(isHosted: IsHosted): StreamSplice;
  /** What ends a stream behind its last event; empty where nothing does. */
  readonly streamEnd: string;
}
