import type { EditReason } from "../edits.ts";
import type { Message } from "./messages.ts";

/** The wire formats that precis speaks. Other packages may add their own ids. */
export type DialectId =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "ai-sdk"
  | "gemini-contents"
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
