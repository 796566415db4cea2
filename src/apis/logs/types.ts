import type { DialectId } from "../../core/types.ts";

/** The programs and shapes that a file can come from. */
export type LogSource =
  | "claude-code"
  | "codex"
  | "pi"
  | "opencode"
  | "openai-request"
  | "anthropic-request"
  | "responses-request"
  | "gemini-request"
  | "sharegpt"
  | "messages"
  | "session"
  | "openhands"
  | "swe-agent"
  | "ai-sdk-ui"
  | "chatgpt";

/** One conversation that was read from a file. */
export interface TranscriptLog {
  readonly source: LogSource;
  /** The wire format of `messages`. */
  readonly dialect: DialectId;
  readonly messages: readonly unknown[];
  /** The system prompt, where the format keeps it apart. */
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly model?: string;
  /** What a person would know the conversation by, when the file says it. */
  readonly title?: string;
  /** What the program that wrote the file calls it. */
  readonly id?: string;
  /** Epoch milliseconds of each message, when the log tells. */
  readonly times?: readonly (number | undefined)[];
  /** Index of the first message after each compaction that the client did by itself. */
  readonly compactions?: readonly number[];
  /** Messages that are the client's own summaries: it wrote them, nobody said them. */
  readonly summaries?: readonly number[];
  /** Where messages stand in the file, from 1: on lines, or in its list of messages. */
  readonly places?: { readonly of: "line" | "message"; readonly at: readonly (number | undefined)[] };
  /** What the reader left out or had to guess. */
  readonly warnings: readonly string[];
}

/** What every way of reading takes. */
export interface LogOptions {
  /** The file's name, for error messages. */
  readonly name?: string;
  /** The wire format to read lists of messages as, instead of guessing it. */
  readonly dialect?: DialectId;
  /** Which conversation of a file that holds several; the first is 1. */
  readonly pick?: number;
}

/** Takes the records of one JSONL log, in order. */
export interface RecordReader {
  /** The line that it stands on, or its place in a list of records, counts from 1. */
  push(record: Readonly<Record<string, unknown>>, line: number): void;
  end(): TranscriptLog;
}

/** A log whose lines are records of one conversation. */
export interface RecordFormat {
  /** True for a record that only this format has. */
  matches(record: Readonly<Record<string, unknown>>): boolean;
  create(options: LogOptions): RecordReader;
}

/** A conversation that is one JSON value. */
export interface DocumentFormat {
  matches(value: Readonly<Record<string, unknown>>): boolean;
  read(value: Readonly<Record<string, unknown>>, options: LogOptions): TranscriptLog;
}
