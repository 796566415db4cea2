/**
 * Every type of the public surface, in the order in which a request meets them:
 * message → dialect → counter → budget → entry → checkpoint → state → options → result.
 */

import type { EditReason } from "./edit-reasons.ts";

export type { EditReason } from "./edit-reasons.ts";

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

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

// ── Dialects ────────────────────────────────────────────────────────────────────────────────────

/** The wire formats that precis speaks. Other packages may add their own ids. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "ai-sdk"
  | (string & Record<never, never>);

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
 * - `with-calls`: never in a turn in which tools were called.
 */
export type ReasoningRule = "free" | "open-turn" | "with-calls";

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
   * `strict`: two messages of one role in a row are refused, and there is one system message (templates of some local
   * models). The summary then goes where that holds.
   */
  readonly alternation?: "strict";
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
 * How one wire format is read and written.
 *
 * The system prompt of a format that keeps it apart is handled as the content of a message
 * `{ role: "system", content: system }`, so `read` and `edit` must accept that shape.
 */
export interface Dialect<M = unknown> {
  readonly id: DialectId;
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

// ── Tokens ──────────────────────────────────────────────────────────────────────────────────────

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

// ── Budget ──────────────────────────────────────────────────────────────────────────────────────

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

// ── Entries, views, plans ───────────────────────────────────────────────────────────────────────

/** A half-open run of message indexes: `from` ≤ i < `to`. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Why a message is neither shown nor spoken for. */
export type DropReason = "orphan" | "budget" | "strategy" | "empty" | "reasoning";

/** One line of a view, and of its receipt. */
export type Entry =
  | { readonly type: "keep"; readonly index: number }
  | { readonly type: "edit"; readonly index: number; readonly edits: readonly Edit[] }
  | {
      readonly type: "insert";
      readonly message: InsertMessage;
      readonly covers: readonly Run[];
      /** Its text went into the system prompt, so it isn't a message of its own in the wire output. */
      readonly merged?: true;
    }
  | { readonly type: "drop"; readonly index: number; readonly reason: DropReason };

/** The names of the strategies, see the table in `docs/reference/strategies.md`. */
export type StrategyName =
  | "none"
  | "truncate-oldest"
  | "drop-middle"
  | "drop-all"
  | "summarize-oldest"
  | "summarize-and-drop"
  | "tool-summaries";

/** The steps of the ladder, cheap and lossless first. */
export type RungName =
  | "nothing-due"
  | "reductions"
  | "known-summaries"
  | "continuation"
  | "full"
  | "simple"
  | "extractive"
  | "drop"
  | "hard-cut";

/** One rung that was tried, and how it ended. */
export interface RungReport {
  readonly rung: RungName;
  readonly result: "used" | "not-enough" | "breached" | "nothing-to-gain";
  readonly tokens?: number;
  readonly note?: string;
}

/** Why a compaction was due. */
export type Reason =
  | "pressure"
  | "budget"
  | "cold-cache"
  | "pause"
  | "messages"
  | "turns"
  | "rejected"
  | "forced"
  | "invalid-checkpoint";

/** A call of a model that a plan asks for (none without a summariser). */
export interface PlannedCall {
  readonly name: string;
  readonly rung: RungName;
  readonly covers: readonly Run[];
  readonly cap: number;
}

/** A call of a model that was made, and how it ended. */
export interface ModelCall extends PlannedCall {
  readonly model: string;
  readonly result: "accepted" | "rejected" | "failed";
  /** Why it was rejected or failed. */
  readonly note?: string;
  readonly usage?: Usage;
  /** US dollars, where the model's prices are known. */
  readonly cost: number;
}

/** The entries and named model calls that turn a transcript into a view. Plain data, no effects. */
export interface Plan {
  readonly due: Reason | undefined;
  readonly entries: readonly Entry[];
  readonly calls: readonly PlannedCall[];
  readonly rungs: readonly RungReport[];
  readonly budget: Budget;
  readonly pressure: { readonly before: number; readonly after: number };
  readonly tokens: { readonly transcript: number; readonly before: number; readonly after: number };
  readonly warnings: readonly Warning[];
}

/** Something that went differently from what the host may expect; the conversation goes on. */
export interface Warning {
  readonly code: string;
  readonly message: string;
}

// ── Checkpoints and state ───────────────────────────────────────────────────────────────────────

/** Entries as a checkpoint stores them: ranges, counted from the first message after the leading system messages. */
export type EntryRange =
  | { readonly type: "keep"; readonly from: number; readonly to: number }
  | { readonly type: "cover"; readonly from: number; readonly to: number; readonly by: number }
  | { readonly type: "drop"; readonly from: number; readonly to: number; readonly reason: DropReason }
  | { readonly type: "edit"; readonly index: number; readonly edits: readonly StoredEdit[] }
  | {
      readonly type: "insert";
      /** Ordinal that `cover` ranges refer to. */
      readonly by: number;
      readonly role: InsertMessage["role"];
      /** Hash of the text in `texts`. */
      readonly text: string;
      readonly merged?: true;
      /** Of an insert that covers nothing: the message that it stands before. */
      readonly before?: number;
    };

/**
 * An edit whose text is kept once, by hash, in the checkpoint's `texts`. A replacement keeps only what differs from the
 * original: `prefix` and `suffix` characters of it stand before and after the stored text.
 */
export type StoredEdit =
  | {
      readonly type: "replace";
      readonly part: number;
      readonly prefix: number;
      readonly suffix: number;
      readonly text: string;
      readonly why: EditReason;
    }
  | { readonly type: "strip-reasoning"; readonly why: EditReason }
  | { readonly type: "strip-fields"; readonly why: EditReason }
  | { readonly type: "append"; readonly text: string; readonly why: EditReason };

/** The immutable record of one applied compaction. */
export interface Checkpoint {
  /** Hash of the record's own content. */
  readonly id: string;
  /** Chain hash of the last message whose entry isn't a plain keep. */
  readonly hash: string;
  /** How many messages (after the leading system messages) that hash spans. */
  readonly length: number;
  readonly dialect: DialectId;
  readonly strategy: StrategyName;
  /** The budget it was made for. */
  readonly budget: number;
  readonly entries: readonly EntryRange[];
  /** Inserted texts and edit texts, each once, by hash. */
  readonly texts: Readonly<Record<string, string>>;
  /** `now` of the `fit` that applied it. */
  readonly at: number;
  readonly reason: Reason;
  readonly rung: RungName;
  readonly tokens: { readonly before: number; readonly after: number };
  /** Messages (after the leading system messages) that model-written summaries spoke for when it was applied. */
  readonly sealed: number;
  /** Number of messages and of turns in the transcript when it was applied. */
  readonly seen: { readonly messages: number; readonly turns: number };
  /** Hash (in `texts`) of the system prompt that it stood behind, as JSON: a host may lose it. */
  readonly head?: string;
}

/** "Skip this checkpoint": what `undo` records, and what is recorded when a larger budget needs it no more. */
export interface Undo {
  readonly checkpoint: string;
  readonly at: number;
  /**
   * Given if no person undid it: the checkpoint was left because the budget is larger. It is taken up again only when a
   * compaction is due, and nothing is suspended.
   */
  readonly why?: "larger-budget";
  /** Pressure at the moment of the undo; automatic compaction waits until it has grown by 0.1 or reached 1. */
  readonly pressure: number;
}

/** A model-written summary of a segment: immutable. */
export interface Summary {
  /** Hash of everything that it was made from: covered messages, prompt and version, model, focus, cap. */
  readonly key: string;
  readonly text: string;
  /** Chain hash of the last message that it covers: the record holds wherever a transcript begins with that chain. */
  readonly hash: string;
  /** Messages that it covers, counted from the first message after the leading system messages. */
  readonly covers: Run;
  /** 0 for a segment summarised from the originals, one more for each merge. */
  readonly level: number;
  /** Prompt id and version, such as `agent/1`. */
  readonly prompt: string;
  readonly model: string;
  readonly author: "model" | "user";
  /** Asked for anew by `rebuild`: speaks for its messages in place of every older record. */
  readonly anew?: true;
  readonly tokens: { readonly source: number; readonly text: number };
  /** `now` of the call that wrote it. */
  readonly at: number;
  /** Hash of key and text: a record that was tampered with isn't believed. */
  readonly proof: string;
  /** It came back without proof of who wrote it, or was made from one that did: it never becomes system text. */
  readonly unproven?: true;
}

/**
 * A text as a state keeps it: what it has in common with other texts is told by reference. A string stands for itself;
 * three numbers in a row are a copy: which source, from which character on, how many characters.
 */
export type PackedText = readonly (string | number)[];

/** An edit as a state keeps it. Texts are named by their place in the checkpoint's `texts`. */
export type PackedEdit =
  | readonly [part: number, prefix: number, suffix: number, text: number, why: EditReason]
  | readonly [type: "strip-reasoning" | "strip-fields", why: EditReason]
  | readonly ["append", text: number, why: EditReason];

/** An entry as a state keeps it. A number: so many messages are kept. */
export type PackedEntry =
  | number
  | readonly ["cover", messages: number, by: number]
  | readonly ["drop", messages: number, reason: DropReason]
  | readonly ["insert", text: number, role: InsertMessage["role"], merged?: "merged"]
  | readonly ["edit", ...edits: PackedEdit[]]
  /** The entries before this one come again: the last `entries` of them, so many times more. */
  | readonly ["again", entries: number, times: number]
  /** An entry that says more than the short forms can. */
  | EntryRange;

/**
 * A checkpoint as a state keeps it. Its texts mostly quote the messages that it stands on, which the host has anyway, and
 * summaries that stand in the same state: they are told by reference.
 */
export interface PackedCheckpoint extends Omit<Checkpoint, "entries" | "texts"> {
  readonly entries: readonly PackedEntry[];
  /** Sources are the messages that the checkpoint spans, by number, and after them the summaries in `quotes`. */
  readonly texts: readonly PackedText[];
  /** Keys of the summaries that its texts repeat. */
  readonly quotes?: readonly string[];
}

/** What a view stood on, to tell whether the next one extends it. */
export interface LastView {
  readonly hash: string;
  readonly length: number;
  readonly checkpoint?: string;
  /** Hash of the system prompt, which isn't part of the chain. */
  readonly head?: string;
  /** Hash of the messages that it showed although its checkpoint hides them. */
  readonly broughtBack?: string;
  /** It showed its checkpoint in other words or roles, because nobody vouched for the state that it came from. */
  readonly reworded?: "unproven";
  /** Hash of the passages that it quoted for user messages. */
  readonly recalled?: string;
}

/** What one answer took, reasoning included, and when it came (milliseconds). */
export type AnswerSize = readonly [at: number, tokens: number];

/** What the newest answers of one model in a conversation took: the output reserve follows them. */
export interface AnswerSizes {
  /** Chain hash of the conversation's first message after the leading system messages. */
  readonly hash: string;
  readonly model: string;
  /** Newest last. */
  readonly sizes: readonly AnswerSize[];
}

/**
 * Passages of hidden messages that a view quotes before a user message, because that message asks for them. They are named
 * by their place: what is shown is always read from the transcript itself.
 */
export interface Recalled {
  /** Chain hash of the transcript up to and with the user message that they stand before. */
  readonly hash: string;
  /** How many messages (after the leading system messages) that hash spans. */
  readonly length: number;
  /** Id of the checkpoint that hides them: with the next compaction they leave. */
  readonly checkpoint: string;
  /** In the order in which they are shown. */
  readonly passages: readonly PassagePlace[];
  readonly at: number;
}

/** Characters `from` to `to` of a part of a message. Messages are counted after the leading system messages, parts without reasoning. */
export type PassagePlace = readonly [message: number, part: number, from: number, to: number];

/** Plain JSON that the host stores beside its chat and hands back. Stale or foreign state is ignored, never believed. */
export interface State {
  readonly version: 2;
  readonly checkpoints: readonly PackedCheckpoint[];
  readonly summaries: readonly Summary[];
  readonly undos: readonly Undo[];
  /** The system prompt as last seen, as JSON, to restore one that the host lost. Only in a signed state. */
  readonly head?: string;
  readonly last?: LastView;
  readonly answers?: readonly AnswerSizes[];
  /** What the views of the newest checkpoints quote for user messages. */
  readonly recalled?: readonly Recalled[];
  /** What only who has the `stateKey` can make. */
  readonly proof?: string;
}

/** What a store holds: records that never change, found by the chain hash of the last message that they stand on. */
export interface Records {
  readonly checkpoints: readonly Checkpoint[];
  readonly summaries: readonly Summary[];
  /** Undos of those checkpoints. */
  readonly undos: readonly Undo[];
  /**
   * One for each model, under the first of the hashes; a newer one takes its place. With a store that leaves them out, each
   * process learns by itself how long answers are.
   */
  readonly answers?: readonly AnswerSizes[];
  /**
   * What views quote for user messages; one for each checkpoint and hash. A store that keeps them gives a list, be it empty.
   * With one that gives none, nothing is recalled unless the host hands its states back.
   */
  readonly recalled?: readonly Recalled[];
}

/** Where records live between calls. Two methods, both in batches. */
export interface Store {
  /** Records whose `hash` is one of `hashes`, in any order. `hashes[n - 1]` names the first n messages. */
  find(hashes: readonly string[]): Promise<Records>;
  save(records: Partial<Records>): Promise<void>;
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────

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
  complete(request: ModelRequest): Promise<ModelReply>;
  /** Asks its server for its context size; undefined where that isn't told. Called once, where nobody else knows. */
  findWindow?(signal: AbortSignal): Promise<number | undefined>;
}

// ── Options ─────────────────────────────────────────────────────────────────────────────────────

/** How much of the newest conversation stays word for word. The first limit that is reached ends the tail. */
export interface TailOptions {
  /** Share of the landing. Default 0.4. */
  readonly share?: number;
  readonly tokens?: number;
  readonly messages?: number;
  readonly turns?: number;
  readonly rounds?: number;
  /** Too big for its share: fewer, but not fewer than this. Default 4. */
  readonly minMessages?: number;
}

/** Shares of the landing that the parts of the summary message may take. */
export interface ShareOptions {
  /** Model-written narrative. Default: half of the summary message; without a model the working set takes it. */
  readonly narrative?: number;
  /** The user's own words. Default 0.2. */
  readonly words?: number;
  /** The ledger. Default 0.05. */
  readonly ledger?: number;
}

/** Where the summary message goes. */
export type Placement =
  /** A user message, tagged `<conversation-summary>`. */
  | "user"
  /** A second system message (where the system prompt stands apart: a second block of it). */
  | "system"
  /** Appended to the system prompt. */
  | "merged";

/** How summaries are asked for. */
export interface SummaryOptions {
  /**
   * Id of the prompt: `agent` (work), `talk`, `citations` (retrieval), `progress`, `concise`; or a text of the host's own.
   * Default: by the kind of conversation.
   */
  readonly prompt?: string | { readonly id: string; readonly version: number; readonly text: string };
  /** Ceiling of the whole narrative, in tokens. Default: half of the summary message, at most 6,000. */
  readonly cap?: number;
  readonly temperature?: number;
  /** Use only this rung of the summariser's ladder. */
  readonly mode?: "continuation" | "full" | "simple" | "extractive";
  /** `segments` (default): each segment once, merged in eights. `rolling`: one summary, written anew each time. */
  readonly merge?: "segments" | "rolling";
  /** How many records of one level are merged into one of the next. Default 8. */
  readonly fanout?: number;
  /** Requests for one compaction, at most; the rest of a long run is left for the next one. Default 12. */
  readonly maxRequests?: number;
  /** How long one summary may take in all, retries included. Default 2 minutes. */
  readonly deadlineMs?: number;
}

/** What the provider's prompt cache costs and how long it lasts; drives the moment of compaction. */
export interface CacheOptions {
  /** Time-to-live of the provider's prompt cache. Default 5 minutes. */
  readonly ttlMs?: number;
  /** Price of a cached read, in units of the input price. Default 0.1. */
  readonly read?: number;
  /** Price of a cache write. Default 1.25. */
  readonly write?: number;
  /** Price of an output token. Default 5. */
  readonly output?: number;
}

/** What of the hidden conversation comes back by itself. */
export interface RecallOptions {
  /** Quote what a user message asks for and the view hides. On in the profiles `agent`, `editor` and `desktop`. */
  readonly auto?: boolean;
  /** Tokens that one user message may have quoted. Default: 5 % of the budget, at most 2,000. */
  readonly tokens?: number;
}

/** Every option that a profile can set and a host can override. */
export interface Tuning {
  /** A cap on what the view may use, in tokens. Needed when there is no window. */
  readonly budget?: number;
  readonly strategy?: StrategyName;
  /** Pressure at which compaction starts. Default 0.8; 0.95 for budgets below 32k where no model is asked. */
  readonly startAt?: Threshold;
  /** Where a compaction lands, as a share of room. Default 0.3 (room ≤ 45k) to 0.4 (room ≥ 100k). */
  readonly landAt?: Threshold;
  readonly tail?: TailOptions;
  readonly shares?: ShareOptions;
  /** Tokens kept free for the answer. Default: what answers really take; at first min(`maxAnswer`, window ÷ 8, 8,192). */
  readonly reserve?: Threshold;
  /** Tokens kept free for counting errors. Default 0.02 of the window. */
  readonly safety?: Threshold;
  readonly placement?: Placement;
  /** Count triggers, beside the token trigger. */
  readonly triggers?: { readonly messages?: number; readonly turns?: number };
  /** False: only `compact` and a full budget compact. Default true. */
  readonly auto?: boolean;
  /** How long a turn may wait for a summary. Default 0: never. */
  readonly waitMs?: number;
  /** Images: all but the last user message's become placeholders, or all but the newest n. */
  readonly images?: { readonly keep: "last-user-message" | number };
  readonly cache?: CacheOptions;
  /** Mark the ends of system prompt and summary for the provider's cache, where the format has marks. Default false. */
  readonly cacheBreakpoints?: boolean;
  readonly summary?: SummaryOptions;
  readonly recall?: RecallOptions;
  /** Tokens of one video frame and of the separator between frames. */
  readonly frames?: { readonly tokensPerFrame: number; readonly separator?: number };
}

/** A named set of options. */
export interface Profile extends Tuning {
  readonly name: string;
}

/** What `createCompactor` takes. */
export interface CompactorOptions<M> extends Tuning {
  readonly dialect: Dialect<M>;
  /** The model's context size in tokens, or the model to look it up by. */
  readonly window?: number | { readonly model: string };
  readonly profile?: Profile;
  /** How tokens are counted. Default: the exact tokenizer of the model, or o200k_base. */
  readonly counter?: TokenCounter;
  /** Registry overrides by model id. */
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>>;
  /** The model that writes summaries. Left out, or "extractive": no model and no network. */
  readonly summarizer?: Model | "extractive";
  /** Left out: a bounded in-memory one. */
  readonly store?: Store;
  /**
   * A secret of the host's (16 characters or more) that states are signed with, so that nobody else can write one. Of
   * several the first signs and all are believed, so that a key can be replaced.
   */
  readonly stateKey?: string | readonly string[];
}

/** Selects messages by index or by a test. */
export type Select<M> = readonly number[] | ((message: M, index: number) => boolean);

/** Steps or tasks that the host tracks; rendered by code into the summary message. */
export type HostState =
  | string
  | {
      readonly title?: string;
      readonly steps: readonly {
        readonly text: string;
        readonly status: "open" | "active" | "done" | "blocked";
      }[];
    };

/** What one `fit` takes beside the transcript. */
export interface FitInput<M> {
  readonly state?: unknown;
  /** The system prompt, where the format keeps it apart. */
  readonly system?: unknown;
  /** The tools of the request, as the wire carries them. Counted against the window. */
  readonly tools?: unknown;
  /** Largest answer that the request asks for (`max_tokens`): an upper bound of what is kept free for it. */
  readonly maxAnswer?: number;
  readonly pins?: Select<M>;
  readonly knowledge?: Select<M>;
  readonly hostState?: HostState;
  /** Messages for this request only: counted and sent last, never stored or summarised. */
  readonly extras?: readonly M[];
  /** The whole request, for summaries by continuation. */
  readonly request?: unknown;
  /** The clock, in milliseconds. Default `Date.now()`. */
  readonly now?: number;
  /** When the last request of this conversation was sent. */
  readonly lastRequestAt?: number;
  /**
   * `must-stay`: the host can't switch thinking off for a request. While a round with signed reasoning is under way, only
   * what stands behind that reasoning is shortened, as far as that is enough. Default `may-stop`.
   */
  readonly thinking?: "may-stop" | "must-stay";
  /** The provider refused the last view as too long: compact harder. A number is the provider's own count of it. */
  readonly rejected?: boolean | { readonly tokens: number };
  readonly signal?: AbortSignal;
}

/** What one `compact` takes beside the transcript. */
export interface CompactInput<M> extends FitInput<M> {
  /** What the summary should care about most. */
  readonly focus?: string;
  /** Fill this many tokens (or this share of the transcript); no checkpoint is written unless `adopt`. */
  readonly budget?: number;
  readonly adopt?: boolean;
  /** How long to wait for a model-written summary. Default 60 seconds. */
  readonly waitMs?: number;
}

// ── Results ─────────────────────────────────────────────────────────────────────────────────────

/** What `fit` did. */
export type Outcome = "pass" | "view" | "compacted" | "nothing-to-gain";

/** The receipt of one `fit` or `compact`. */
export interface Report {
  /** Names the conversation, forks included: the hash of its first message. */
  readonly conversation: string;
  readonly outcome: Outcome;
  readonly reason: Reason | undefined;
  readonly strategy: StrategyName;
  readonly profile: string | undefined;
  readonly dialect: DialectId;
  readonly budget: Budget;
  readonly pressure: { readonly before: number; readonly after: number };
  /**
   * `atMost`: these, the pressure and `budget.tools` are upper bounds. The request is so short that nothing can be due, and the
   * tokenizer wasn't loaded for it.
   */
  readonly tokens: {
    readonly transcript: number;
    readonly before: number;
    readonly after: number;
    readonly atMost?: true;
  };
  /**
   * Tokens that the answer may take beside this view: the window without view, tools and safety, at most `maxAnswer`.
   * Undefined without a window.
   */
  readonly answer: number | undefined;
  readonly counts: {
    readonly kept: number;
    readonly edited: number;
    readonly covered: number;
    readonly dropped: number;
    readonly inserted: number;
  };
  /** Every transcript message, exactly once. */
  readonly entries: readonly Entry[];
  /** What was quoted for the newest user message in this call, best first. What earlier calls quoted stands in the view still. */
  readonly recalled: readonly RecalledPassage[];
  readonly rungs: readonly RungReport[];
  readonly modelCalls: readonly ModelCall[];
  /** US dollars spent on summaries. */
  readonly cost: number;
  readonly cacheHits: { readonly checkpoint: boolean; readonly summaries: number };
  readonly warnings: readonly Warning[];
  /** True when the view is no longer an extension of the one before it: drop KV and prompt caches. */
  readonly prefixChanged: boolean;
  /** Why it isn't one. */
  readonly prefixReason: PrefixReason | undefined;
  /** Id of the checkpoint that the view stands on. */
  readonly checkpoint: string | undefined;
}

/** A passage of a hidden message that came back, and why. */
export interface RecalledPassage {
  /** The message's place in the transcript. */
  readonly index: number;
  readonly text: string;
  /** Words of the user message that it was found by. */
  readonly words: readonly string[];
  readonly score: number;
}

/**
 * Why a view changed before its end: a compaction was applied; the transcript was edited or forked; a person took a
 * compaction back; a message that it hides must be shown (a pin); summaries were cleared; a larger budget needs no
 * compaction; the system prompt is another; other options were chosen; the compaction came back in a state that nobody
 * signed, so it is shown in the user's role; what was recalled for a user message is no longer known.
 */
export type PrefixReason =
  | "compaction"
  | "transcript"
  | "undo"
  | "pin"
  | "cleared"
  | "larger-budget"
  | "system"
  | "options"
  | "unproven"
  | "recall";

/** What `fit` returns. `messages` is a new array of the host's own format; unchanged messages are the same objects. */
export interface FitResult<M> {
  readonly messages: M[];
  /** The system prompt to send, where the format keeps it apart. */
  readonly system: unknown;
  readonly state: State;
  readonly report: Report;
  /** Resolves to the newer state when a summary is in flight; otherwise at once, to `state`. */
  readonly background: Promise<State>;
}

/** What `pressure` returns: the one number of trigger, meter and API, and what fills it. */
export interface PressureReport {
  readonly pressure: number;
  readonly tokens: number;
  readonly budget: Budget;
  /** Pressure at which compaction will start. */
  readonly startsAt: number;
  readonly level: "green" | "yellow" | "red";
  readonly fill: Readonly<Record<"system" | "summary" | "user" | "assistant" | "tool" | "image", number>>;
  /** Id of the checkpoint that the current view stands on. */
  readonly checkpoint?: string;
}

/** The provider's own numbers for a request, whatever they are called on the wire. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What `observe` takes. */
export interface Observation<M> {
  /** The provider's numbers for the last request. */
  readonly usage?: Usage;
  /** The report of the view that was answered: says which conversation it was. */
  readonly report?: Pick<Report, "conversation">;
  /** precis's own count of that request: `report.tokens.after + report.budget.tools`. Nothing is learnt from one that was a bound. */
  readonly tokens?: number;
  /** The model that answered. Default: the compactor's. */
  readonly model?: string;
  /** Why the answer ended. One that was cut off (`length`) would have been longer. */
  readonly stop?: StopReason;
  /** The transcript with the reply or the tool result, to have its pressure checked. */
  readonly transcript?: readonly M[];
  /** What the next `fit` will be given. */
  readonly input?: FitInput<M>;
}

// ── Events ──────────────────────────────────────────────────────────────────────────────────────

/** What `on` can listen to, with what the listener gets. */
export interface Events {
  readonly started: { readonly reason: Reason };
  readonly progress: { readonly done: number; readonly total: number; readonly label: string };
  readonly completed: { readonly report: Report; readonly state: State };
  readonly failed: { readonly error: Error; readonly fallback: RungName };
  readonly cancelled: { readonly reason: Reason };
  readonly pressure: {
    readonly pressure: number;
    readonly tokens: number;
    readonly budget: number;
    /** Upper bounds, as in `report.tokens`. */
    readonly atMost?: true;
  };
}

/** What `summarize` takes. */
export interface SummarizeInput<M> extends FitInput<M> {
  /** What it should care about most. */
  readonly focus?: string;
  /** Tokens that it may have. Default 2,500. */
  readonly cap?: number;
  /**
   * `text` (default): for people: goal, state, decisions, files, open points, without pointers. `record`: for a model that
   * goes on from it; without a model that writes it, it is a summary message with its tag.
   */
  readonly form?: "text" | "record";
}

/** What `handover` takes. */
export interface HandoverInput<M> extends FitInput<M> {
  /** What the fresh session is for. */
  readonly goal: string;
  /** Tokens that the text may have. Default 2,500. */
  readonly cap?: number;
}

/** The start of a fresh session. */
export interface HandoverResult<M> {
  /** Markdown: the goal, and what of the earlier session matters for it. */
  readonly text: string;
  readonly tokens: number;
  /** The same as a user message in the dialect's wire format: the first of the fresh session. */
  readonly message: M;
  readonly report: Report;
}

/**
 * Keeps conversations of one dialect inside their budget. `T` is the host's own message type: what goes in comes out.
 */
export interface Compactor<M> {
  /** The wire format that it was made for. */
  readonly dialect: Dialect<M>;
  /** The view for the next request. Never mutates its input, never waits for a summary unless told to. */
  fit<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<FitResult<T>>;
  /** Compacts now. Without `budget` it lands at `landAt` or half of the present view, whichever is less. */
  compact<T extends M>(transcript: readonly T[], input?: CompactInput<T>): Promise<FitResult<T>>;
  /** What `fit` would do, as plain data. */
  plan<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<Plan>;
  /** How full the current view is. */
  pressure<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<PressureReport>;
  /** Call when idle, shortly before the provider's cache expires: does ahead what the next `fit` may need. */
  prepare<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<State>;
  /**
   * After a reply or a tool result: calibrates the counter from the provider's numbers, with a report or a transcript
   * learns how long answers of that conversation are, and with a transcript checks whether a summary should be begun now
   * instead of at the next request. Resolves to the newer state if a transcript is given.
   */
  observe<T extends M>(observation: Observation<T>): Promise<State | undefined>;
  /** A standalone summary of the transcript; changes no state. */
  summarize<T extends M>(
    transcript: readonly T[],
    input?: SummarizeInput<T>,
  ): Promise<{ readonly text: string; readonly tokens: number; readonly report: Report }>;
  /** The start of a fresh session for a stated goal; changes no state. Without a model the same input gives the same text. */
  handover<T extends M>(transcript: readonly T[], input: HandoverInput<T>): Promise<HandoverResult<T>>;
  /** Skips the newest checkpoint and suspends automatic compaction until pressure has grown by 0.1 or reached 1. */
  undo<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<State>;
  /** Makes the checkpoint anew from the originals. */
  rebuild<T extends M>(transcript: readonly T[], input?: FitInput<T>): Promise<FitResult<T>>;
  /** Resolves when no background work is under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
  on<K extends keyof Events>(event: K, listener: (payload: Events[K]) => void): () => void;
}
