import { isJson, type Json, listOf, str } from "./fields.ts";

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

/** Tells precis's own tools from the client's. */
export interface OwnTools {
  readonly isHosted: IsHosted;
  /** The client's tools, where the model isn't told of all of them. */
  readonly declared?: readonly unknown[] | undefined;
}

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
  | "functions"
  | "several-answers"
  | "background"
  | "list-stream"
  | "provider-tools"
  | "json-answer";

/** What a model may call: whatever it likes or nothing, anything but nothing, or what the request names. */
export type ToolChoice = "free" | "any" | "named";

/** A plain function as a client declared it, or several under one name. */
export interface PlainFunction {
  readonly name: string;
  readonly description: string;
  /** What is called of it, where that isn't its own name. */
  readonly members?: readonly string[];
}

/** How an API carries tools that precis answers itself within a client's request. */
export interface ToolHosting {
  /** Undefined: the request can have them. */
  refusal(body: Json, path: string): HostingRefusal | undefined;
  /** What a request declares, one by one. */
  tools(body: Json): readonly unknown[];
  withTools(body: Json, tools: readonly unknown[]): Json;
  declare(tool: HostedTool): Json;
  /** What a declared tool is called by, whatever its shape. */
  nameOf(tool: unknown): unknown;
  /** Undefined for a tool of another shape, and for a function that the provider is told more of than how to call it. */
  plainFunction(tool: unknown): PlainFunction | undefined;
  choice(body: Json): ToolChoice;
  /** An answer as it is sent back in the next round. */
  echo(messages: readonly unknown[], body: Json): readonly unknown[];
  results(results: readonly HostedResult[]): readonly unknown[];
  /** One message of two neighbours that this API wants as one; undefined where they stand by themselves. */
  joined?(before: unknown, after: unknown): unknown;
  /** Answers in one piece, round by round, as one answer without what the client didn't ask for. */
  join(answers: readonly Json[], own: OwnTools): Json;
  splice(own: OwnTools): StreamSplice;
  /** What ends a stream behind its last event; empty where nothing does. */
  readonly streamEnd: string;
}

/** What most APIs have: a list of named tools in one field, for any request, and answers that are sent back as they are. */
export const USUAL_HOSTING = {
  refusal: () => undefined,
  tools: ({ tools }: Json) => listOf(tools),
  withTools: (body: Json, tools: readonly unknown[]): Json => ({ ...body, tools }),
  nameOf: (tool: unknown) => (isJson(tool) ? tool["name"] : undefined),
  echo: (messages: readonly unknown[]) => messages,
  streamEnd: "",
};

/** A function with these fields alone. What has more may mean something that isn't known here. */
export function plainFunctionOf(tool: unknown, fields: ReadonlySet<string>): PlainFunction | undefined {
  if (!isJson(tool) || Object.keys(tool).some((field) => !fields.has(field))) return undefined;
  const { name, description } = tool;
  return typeof name === "string" && name !== "" ? { name, description: str(description) } : undefined;
}

/** The `tool_choice` of OpenAI's APIs. */
export function openaiChoice({ tool_choice: choice = "auto" }: Json): ToolChoice {
  if (choice === "auto" || choice === "none" || choice === null) return "free";
  return choice === "required" ? "any" : "named";
}

/** No round ends with more events. */
const MOST_BUFFERED = 64;

/** Events that belong to the end of a round, and wait until it is known to be the last. */
interface EndBuffer {
  /** Returns what waits no longer: the oldest of more events than any round ends with. */
  hold(event: Json): readonly Json[];
  clear(): void;
  readonly events: readonly Json[];
}

export function createEndBuffer(): EndBuffer {
  let events: Json[] = [];
  return {
    hold(event) {
      events.push(event);
      return events.length > MOST_BUFFERED ? events.splice(0, 1) : [];
    },
    clear() {
      events = [];
    },
    get events() {
      return events;
    },
  };
}

/** Where the parts of an answer stand for the client, over all rounds: calls of ours have no place. */
export function createPlaces() {
  let places = new Map<number, number | undefined>();
  let shown = 0;
  return {
    /** The place of a part of the round under way; what comes first of it tells whose it is. */
    of(index: number, isOurs: boolean): number | undefined {
      if (!places.has(index)) places.set(index, isOurs ? undefined : shown++);
      return places.get(index);
    },
    nextRound() {
      places = new Map();
    },
  };
}
