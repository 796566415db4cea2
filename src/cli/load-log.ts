import type { Dialect } from "../core/types.ts";
import { dialectById } from "../dialects/index.ts";
import { createLogReader, type TranscriptLog } from "../dialects/logs/index.ts";
import { encode } from "../dialects/transcode.ts";
import type { Io } from "./io.ts";
import type { Progress } from "./progress.ts";
import { readLines } from "./read-lines.ts";

/** A conversation that is ready for the engine. */
export interface LoadedLog {
  readonly log: TranscriptLog;
  readonly dialect: Dialect<unknown>;
}

/** Reads FILE line by line and turns it into a transcript of one dialect. */
export async function loadLog(
  file: string,
  io: Io,
  options: { readonly dialect?: string; readonly pick?: number; readonly progress: Progress },
): Promise<LoadedLog> {
  const reader = createLogReader({
    name: file,
    ...(options.dialect === undefined ? {} : { dialect: options.dialect }),
    ...(options.pick === undefined ? {} : { pick: options.pick }),
  });
  const label = `reading ${file === "-" ? "stdin" : file}`;
  for await (const line of readLines(file, io, (done, total) => options.progress.update(label, done, total)))
    reader.push(line);
  options.progress.clear();
  const found = withoutSummaries(reader.end());
  const log = options.dialect === undefined ? found : inDialect(found, options.dialect);
  const dialect = dialectById(log.dialect);
  return { log: withSystemInPlace(log, dialect), dialect };
}

/** A log that has a wire format of its own, in the one that was asked for. */
function inDialect(log: TranscriptLog, wanted: string): TranscriptLog {
  if (log.dialect === wanted) return log;
  const own = dialectById(log.dialect);
  const system = log.system === undefined ? [] : [own.read({ role: "system", content: log.system })];
  const encoded = encode(wanted, [...system, ...log.messages.map((message) => own.read(message))]);
  const { system: _, times, ...rest } = log;
  return {
    ...rest,
    dialect: wanted,
    messages: encoded.messages,
    ...(encoded.system === undefined ? {} : { system: encoded.system }),
    // Formats cut an answer into messages differently; times that no longer belong to a message are worse than none.
    ...(times !== undefined && encoded.messages.length === log.messages.length ? { times } : {}),
    warnings: [...log.warnings, ...encoded.warnings],
  };
}

/** The client's own summaries leave: a transcript is what was said, and the messages they speak for are all in it. */
export function withoutSummaries(log: TranscriptLog): TranscriptLog {
  const { summaries, ...rest } = log;
  if (summaries === undefined) return log;
  const left = new Set(summaries);
  const keep = (_: unknown, index: number): boolean => !left.has(index);
  const words = summaries.length === 1 ? "one summary" : `${summaries.length} summaries`;
  return {
    ...rest,
    messages: log.messages.filter(keep),
    ...(log.times === undefined ? {} : { times: log.times.filter(keep) }),
    warnings: [...log.warnings, `left out ${words} that the client wrote itself`],
  };
}

/** A system prompt that stands apart in the file becomes a message where the dialect has it among the messages. */
function withSystemInPlace(log: TranscriptLog, dialect: Dialect<unknown>): TranscriptLog {
  const { system, ...rest } = log;
  if (typeof system !== "string" || dialect.rules.system === "apart") return log;
  return {
    ...rest,
    messages: [dialect.write({ role: "system", text: system }), ...log.messages],
    ...(log.times === undefined ? {} : { times: [undefined, ...log.times] }),
  };
}
