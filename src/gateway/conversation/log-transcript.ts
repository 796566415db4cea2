import type { TranscriptLog } from "../../apis/logs/index.ts";
import { readyLog } from "../../apis/ready-log.ts";
import { readMessages } from "../../core/read-messages.ts";
import { leadLength } from "../../core/rounds.ts";
import type { Dialect } from "../../core/types.ts";
import { writeHead } from "../../recall/stored-head.ts";
import { wireOfDialect } from "../wires/index.ts";

/** A log as it is stored: in a format that the gateway speaks. */
export interface LogTranscript {
  readonly dialect: Dialect<unknown>;
  /** Leading system messages included. */
  readonly transcript: readonly unknown[];
  /** What stands before the messages, as JSON text. */
  readonly head: string | undefined;
  readonly times?: readonly (number | undefined)[];
  /** What was left out or couldn't be said in this format. */
  readonly warnings: readonly string[];
}

export function logTranscript(log: TranscriptLog): LogTranscript {
  const isSpoken = wireOfDialect(log.dialect).dialect.id === log.dialect;
  const { dialect } = wireOfDialect(isSpoken ? log.dialect : "openai-chat");
  const { messages: transcript, system, times, warnings } = readyLog(log, dialect.id);
  const lead = transcript.slice(
    0,
    leadLength(readMessages(dialect, transcript), ({ role }) => role),
  );
  return {
    dialect,
    transcript,
    head: writeHead(dialect, { system, lead }),
    ...(times && { times }),
    warnings,
  };
}
