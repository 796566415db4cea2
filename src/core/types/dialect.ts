import type { EditReason } from "../edits.ts";
import type { DIALECT_IDS } from "../options.ts";

/** The wire formats that precis speaks. Other packages may add their own ids. */
export type DialectId = (typeof DIALECT_IDS)[number] | (string & Record<never, never>);

/**
 * One named change to one message. `part` counts the message's parts **without reasoning**, because clients drop old
 * reasoning from their transcripts by themselves and an index must survive that.
 */
export type Edit =
  /** The part's text becomes `text`: a clipped tool result, clipped call arguments, a placeholder for an image. */
  | { readonly type: "replace"; readonly part: number; readonly text: string; readonly why: EditReason }
  /** Every reasoning part of the message leaves. */
  | { readonly type: "strip-reasoning"; readonly why: EditReason }
  /** Fields that only a user interface needs leave (`createdAt`, `parts`, precis's own marks): strict providers refuse them. */
  | { readonly type: "strip-fields"; readonly why: EditReason }
  /** A text is added after the last part (a system message that takes the summary). */
  | { readonly type: "append"; readonly text: string; readonly why: EditReason };

/** A message that precis writes itself. */
export interface InsertMessage {
  readonly role: "user" | "system" | "assistant";
  readonly text: string;
}

/**
 * When the reasoning of a message may leave while the message itself is shown.
 *
 * - `free`: at any time.
 * - `open-turn`: not in the turn that is under way, if tools were called in it.
 * - `open-loop`: the same, and what is shown of a tool loop under way must begin with reasoning, unless the model decides itself when
 *   it thinks.
 * - `with-calls`: never in a turn in which tools were called.
 */
export type ReasoningRule = "free" | "open-turn" | "open-loop" | "with-calls";

/** What a wire format demands of a list of messages. Data, so that the engine needs no knowledge of any format. */
export interface DialectRules {
  /** Where the system prompt stands: among the messages, or apart (`fit({ system })`). */
  readonly system: "message" | "apart";
  /**
   * `anywhere`: a system message may stand among the others, and what it says holds from there on. Views show such
   * messages word for word where they stand, as far as there is room. Left out: they are middle like any other message.
   */
  readonly laterSystem?: "anywhere";
  /** The role that the first message after the system prompt must have. */
  readonly firstRole: "any" | "user";
  /** `direct`: results must stand right after the message with their calls; `anywhere`: anywhere after it. */
  readonly results: "direct" | "anywhere";
  /** Signed reasoning is valid only behind the very prefix that it was made with. */
  readonly boundReasoning?: boolean;
  /**
   * When reasoning that isn't bound to its prefix may leave. Left out: `with-calls`, because some providers refuse calls
   * without the reasoning that led to them, and none refuses it.
   */
  readonly reasoning?: ReasoningRule;
  /**
   * Reasoning is a message of its own, and the messages that it led to are refused without it. Where it leaves, they
   * get the edit `strip-reasoning`, by which a dialect sends them as new ones.
   */
  readonly leadingReasoning?: true;
  /**
   * `strict`: two messages of one role in a row are refused, so is a message of the user right behind tool results, and there is
   * one system message, the first (templates of some local models). The summary then goes where that holds.
   * `calls`: a message with calls is refused right behind another message of the assistant.
   */
  readonly alternation?: "strict" | "calls";
}

/** Marks in a request up to which the provider keeps the prompt in its cache. */
export interface CacheMarks<M> {
  /** How many a request may have. */
  readonly most: number;
  /** The marks in a part of a request (system prompt, tools, messages), in order. */
  read(value: unknown): readonly ("short" | "long")[];
  /** The message with a mark at its end. */
  add(message: M, life: "short" | "long"): M;
}

/**
 * How one wire format is read and written. `M` is one of its messages, `S` its system prompt where that stands apart.
 *
 * The system prompt of a format that keeps it apart is handled as the content of a message
 * `{ role: "system", content: system }`, so `read` and `edit` must accept that shape.
 */
export interface Dialect<M = unknown, S = unknown> {
  readonly id: DialectId;
  /** For the compiler only, never set: it makes `FitResult.system` of the dialect's own type. */
  readonly systemType?: S;
  readonly rules: DialectRules;
  /**
   * What the rules say about reasoning for one model, by its name: providers that speak the same format demand different
   * things. Undefined, or left out: as in `rules`.
   */
  reasoningOf?(model: string): Pick<DialectRules, "reasoning" | "boundReasoning"> | undefined;
  /** The message as the engine sees it. Throws `TranscriptError` on something that isn't a message of this format. */
  read(message: M): Message;
  /** A new wire message with the edits applied; parts that aren't named stay the same objects. */
  edit(message: M, edits: readonly Edit[]): M;
  /** A message that precis wrote, in this format. */
  write(message: InsertMessage): M;
  /** The message without precis's own marks, which no provider knows; the same object if it has none. Left out: it never has any. */
  unmarked?(message: M): M;
  /** Only of formats that have such marks. */
  readonly marks?: CacheMarks<M>;
}

/** Who speaks, whatever the wire format calls it (`developer` is `system`, `toolResult` is `tool`). */
export type Role = "system" | "user" | "assistant" | "tool";

/** Plain text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A picture. It costs by the provider's formula, never by the length of its base64. */
export interface ImagePart {
  readonly type: "image";
  /** Pixels, when the wire format or the image's own header tells. */
  readonly width?: number;
  readonly height?: number;
  /** OpenAI's `detail`. */
  readonly detail?: "low" | "high" | "auto" | "original";
  /** Stands for the picture's content in the chain hash: a URL, a file id, or the base64 text itself. */
  readonly source: string;
}

/** A document, a sound or any other attachment. */
export interface FilePart {
  readonly type: "file";
  readonly name?: string;
  readonly mediaType?: string;
  /** Size of the decoded content, when known. */
  readonly bytes?: number;
  /** The content, when it is text that the model reads as text. */
  readonly text?: string;
  readonly source: string;
}

/** Frames of a video stream, counted by `tokensPerFrame`. */
export interface FramePart {
  readonly type: "frame";
  readonly count: number;
  readonly source: string;
}

/** The model's reasoning. Signed reasoning is bound to the prefix that it was made with. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly signed: boolean;
}

/** A call of a tool by the model. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text (or as free text for tools that take text). */
  readonly args: string;
  /**
   * The arguments as they come back from clients that know no numbers but doubles; only where that isn't the same, and the
   * wire carries them as values.
   */
  readonly asDoubles?: string;
  /** Run by the provider: may stand in one message with its result, and can't be edited. */
  readonly locked?: true;
}

/** What a tool answered. */
export interface ToolResultPart {
  readonly type: "tool-result";
  /** The id of the call that this answers. */
  readonly id: string;
  /** The wire names no call (`id` is empty): this answers the oldest open one, and stands by itself if there is none. */
  readonly byOrder?: true;
  /** Ids are optional in its format: where no open call has this one, it answers the next open call of its name. */
  readonly byName?: true;
  readonly name?: string;
  readonly text: string;
  readonly error?: boolean;
  /** Pictures and files inside the result. */
  readonly media?: readonly (ImagePart | FilePart)[];
  readonly locked?: true;
}

/** Something this version doesn't know. It passes through untouched and is counted by its JSON. */
export interface OtherPart {
  readonly type: "other";
  readonly kind: string;
  readonly json: string;
  /** In the content of a message: its format has no such type, or the type lacks its content (`{ type: "text" }` without a text). */
  readonly unknown?: true;
  /** All that clients send back of it, where they got more than that. */
  readonly comesBackAs?: string;
}

/** One part of a message. */
export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | FramePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | OtherPart;

/**
 * A wire message as the engine reads it. Reading never changes the wire message, and what leaves unchanged leaves as
 * the same object, so this form may be lossy; `edit` always works on the wire message itself.
 */
export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Id of an answered call to whose round the message belongs too: what was run once the call was approved. */
  readonly follows?: string;
  /** The wire message carries precis's pin marker (`precis: { pin: true }`). */
  readonly pinned?: boolean;
  /** The wire message carries precis's knowledge marker (`precis: { knowledge: true }`). */
  readonly knowledge?: boolean;
}

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
  /** Left out where nobody counted. */
  readonly usage?: Usage;
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

/** Counts tokens of text. Everything else (roles, images, tools) is built on it by `createMeasure`. */
export interface TokenCounter {
  /** Names the way of counting, e.g. `o200k_base` or `chars/4`. */
  readonly id: string;
  count(text: string): number;
}

/** Counts whole messages: text, roles, calls, results, images, frames, tool schemas. Calibrated. */
export interface Measure {
  readonly counter: TokenCounter;
  text(text: string): number;
  message(message: Message): number;
  /** Tool schemas as the wire carries them; 0 for none. */
  tools(tools: unknown): number;
}

/** What the registry knows about a model. */
export interface ModelInfo {
  readonly id: string;
  /** Context size in tokens. */
  readonly window: number;
  /** Largest answer in tokens. */
  readonly output?: number;
  readonly encoding: "o200k_base" | "cl100k_base";
  /** Tokens by the provider's own count ÷ tokens by `encoding`, to start with. */
  readonly factor: number;
  readonly images: "openai" | "openai-patch" | "anthropic" | "anthropic-large" | "gemini";
  /** US dollars per million tokens. */
  readonly prices?: Prices;
  /** False for a model that isn't in the registry and got the defaults. */
  readonly known: boolean;
}

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What the view may use, and how that number came about. */
export interface Budget {
  readonly window: number | undefined;
  /** Kept free for the answer. */
  readonly reserve: number;
  readonly tools: number;
  readonly safety: number;
  /** `min(options.budget, window − reserve − tools − safety)`. */
  readonly budget: number;
  /** Tokens of the head (system prompt, pins, knowledge). */
  readonly head: number;
  /** `budget − head`: what `landAt` and all shares are shares of. */
  readonly room: number;
}

/** A limit: a ratio (0–1] or a number of tokens ≥ 100. Anything between is refused as a likely typo. */
export type Threshold = number;

/** The provider's own numbers for a request, whatever they are called on the wire. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
