/** One class per cause that a caller can act on. Each carries its numbers as fields and names the fix in its text. */

/** The same symbol in every copy of precis. */
const MARK: unique symbol = Symbol.for("precis.error");

/** What every error of precis has. */
export abstract class PrecisError extends Error {
  /** Of the classes that can be told by it. */
  static readonly code: string | undefined = undefined;
  readonly [MARK] = true;
  abstract readonly code: string;
  /** What the caller can do about it. */
  readonly fix: string;

  constructor(message: string, fix: string, options?: { cause?: unknown }) {
    super(`${message} ${fix}`, options);
    this.name = new.target.name;
    this.fix = fix;
  }

  /**
   * Is a value an error of this class? Unlike `instanceof` it also knows errors of another copy of precis: a program may
   * hold two versions, or a bundle beside the package.
   */
  static isInstance<E>(this: ErrorClass<E>, value: unknown): value is E {
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked may be a subclass
    return isErrorOf(this, value);
  }
}

function isErrorOf<E>(asked: ErrorClass<E>, value: unknown): value is E {
  if (value instanceof asked) return true;
  if (!(value instanceof Error) || !(MARK in value)) return false;
  return (
    asked === (PrecisError as unknown) ||
    (asked.code !== undefined && "code" in value && value.code === asked.code)
  );
}

/** What is wrong, without the name of precis and without the fix: for an error that says it in more words. */
export const problemOf = ({ message, fix }: PrecisError): string =>
  message.replace(/^precis: /, "").replace(` ${fix}`, "");

type ErrorClass<E> = (abstract new (...args: never[]) => E) & { readonly code: string | undefined };

/** An option has a value that can't work. */
export class ConfigError extends PrecisError {
  static override readonly code = "config";
  readonly code = ConfigError.code;
  readonly option: string;

  constructor(fields: { option: string; message: string; fix: string; cause?: unknown }) {
    super(`precis: option \`${fields.option}\`: ${fields.message}`, fields.fix, { cause: fields.cause });
    this.option = fields.option;
  }
}

/** The transcript isn't in the format that it was said to be in. */
export class TranscriptError extends PrecisError {
  static override readonly code = "transcript";
  readonly code = TranscriptError.code;
  /** Index of the message, when one message is at fault. */
  readonly index: number | undefined;
  /** Line of the file, when it came from a file. */
  readonly line: number | undefined;

  constructor(fields: { message: string; fix: string; index?: number; line?: number; cause?: unknown }) {
    const where =
      fields.line !== undefined
        ? `line ${fields.line}: `
        : fields.index !== undefined
          ? // People count from 1, as in summaries (`#12`).
            `message ${fields.index + 1}: `
          : "";
    super(`precis: ${where}${fields.message}`, fields.fix, { cause: fields.cause });
    this.index = fields.index;
    this.line = fields.line;
  }
}

/** What must be sent is larger than what may be sent. Thrown before anything is sent. */
export class BudgetImpossibleError extends PrecisError {
  static override readonly code = "budget-impossible";
  readonly code = BudgetImpossibleError.code;
  readonly budget: number;
  /** The least that a view needs: head, last user message and what the wire format adds. */
  readonly needed: number;
  readonly head: number;
  readonly lastUserMessage: number;

  constructor(fields: {
    budget: number;
    needed: number;
    head: number;
    lastUserMessage: number;
    message?: string;
    fix?: string;
  }) {
    super(
      fields.message ??
        `precis: the system prompt and pins (${fields.head} tokens) and the last user message (${fields.lastUserMessage} tokens) need ${fields.needed} tokens, the budget is ${fields.budget}.`,
      fields.fix ?? roomFix(fields),
    );
    this.budget = fields.budget;
    this.needed = fields.needed;
    this.head = fields.head;
    this.lastUserMessage = fields.lastUserMessage;
  }
}

/** What helps most comes first: shortening whatever takes the most. */
function roomFix({
  head,
  lastUserMessage,
}: {
  readonly head: number;
  readonly lastUserMessage: number;
}): string {
  const larger = "use a larger budget or a model with a larger window";
  return lastUserMessage > head
    ? `Shorten the last user message (attach a long text as a file, or send it in parts), or ${larger}.`
    : `Shorten the system prompt or unpin messages, or ${larger}.`;
}

/** Why a model call failed. */
export type ModelFailure =
  | "too-long"
  | "rate-limited"
  | "overloaded"
  | "network"
  | "timeout"
  | "auth"
  | "refused"
  | "bad-request"
  | "bad-answer"
  | "cancelled";

/** A model call failed for good. */
export class ModelError extends PrecisError {
  static override readonly code = "model";
  readonly code = ModelError.code;
  readonly model: string;
  readonly failure: ModelFailure;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Trying again later may help. */
  readonly retryable: boolean;
  /** How long the provider asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Tokens that fit, if the provider named them where something was too long. */
  readonly limit: number | undefined;

  constructor(fields: {
    model: string;
    failure: ModelFailure;
    message: string;
    fix: string;
    status?: number;
    retryable?: boolean;
    retryAfterMs?: number;
    limit?: number | undefined;
    cause?: unknown;
  }) {
    super(`precis: model ${fields.model}: ${fields.message}`, fields.fix, { cause: fields.cause });
    this.model = fields.model;
    this.failure = fields.failure;
    this.status = fields.status;
    this.retryable = fields.retryable ?? false;
    this.retryAfterMs = fields.retryAfterMs;
    this.limit = fields.limit;
  }
}

/** The store failed. The view is still valid; what couldn't be saved is made again when it is needed. */
export class StoreError extends PrecisError {
  static override readonly code = "store";
  readonly code = StoreError.code;
  readonly operation: string;

  constructor(fields: { operation: string; message: string; fix: string; cause?: unknown }) {
    super(`precis: store ${fields.operation}: ${fields.message}`, fields.fix, { cause: fields.cause });
    this.operation = fields.operation;
  }
}

/** A compactor was asked for something after it was closed. */
export class ClosedError extends PrecisError {
  static override readonly code = "closed";
  readonly code = ClosedError.code;
  /** What was called. */
  readonly method: string;

  constructor({ method }: { method: string }) {
    super(
      `precis: \`${method}\` was called after \`close()\`. A closed compactor can't be used again.`,
      "Close it when the program ends, or create another one with `createCompactor`.",
    );
    this.method = method;
  }
}

/** A view broke a post-condition on the last rung: a defect in precis, never the caller's. */
export class InvariantError extends PrecisError {
  static override readonly code = "invariant";
  readonly code = InvariantError.code;
  readonly breaches: readonly string[];

  constructor(fields: { breaches: readonly string[] }) {
    super(
      `precis: the view breaks ${fields.breaches.length} post-condition(s): ${fields.breaches.join("; ")}.`,
      'This is a bug in precis: please report it with the shape of the transcript. As a workaround, use `strategy: "drop-all"`.',
    );
    this.breaches = fields.breaches;
  }
}
