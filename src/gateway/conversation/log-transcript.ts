import type { Dialect } from "../../core/types.ts";
import { dialectById, encode } from "../../dialects/index.ts";
import type { TranscriptLog } from "../../dialects/logs/index.ts";
import { wireOfDialect } from "../wires/index.ts";
import { writeHead } from "./stored-head.ts";

/** A log as it is stored: in a format that the gateway speaks. */
export interface LogTranscript {
  readonly dialect: Dialect<unknown>;
  /** Leading system messages included. */
  readonly transcript: readonly unknown[];
  /** What stands before the messages, as JSON text. */
  readonly head: string | undefined;
  readonly times?: readonly (number | undefined)[];
}

export function logTranscript(log: TranscriptLog): LogTranscript {
  const own = dialectById(log.dialect);
  const isSpoken = wireOfDialect(log.dialect).dialect.id === log.dialect;
  const system = log.system === undefined ? [] : [own.read({ role: "system", content: log.system })];
  const encoded = isSpoken
    ? undefined
    : encode("openai-chat", [...system, ...log.messages.map((one) => own.read(one))]);
  const { dialect } = wireOfDialect(isSpoken ? log.dialect : "openai-chat");
  const ownSystem = dialect.rules.system === "apart" ? (log.system ?? undefined) : undefined;
  const transcript =
    encoded?.messages ??
    (dialect.rules.system === "message" && log.system !== undefined
      ? [{ role: "system", content: log.system }, ...log.messages]
      : log.messages);
  const lead = transcript.slice(
    0,
    transcript.findIndex((one) => dialect.read(one).role !== "system"),
  );
  return {
    dialect,
    transcript,
    head: writeHead(dialect, { system: ownSystem, lead }),
    ...(log.times && transcript.length === log.messages.length && { times: log.times }),
  };
}
