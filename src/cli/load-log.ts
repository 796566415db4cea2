import { dialectById } from "../apis/index.ts";
import { createLogReader, type TranscriptLog } from "../apis/logs/index.ts";
import { readyLog } from "../apis/ready-log.ts";
import { defined } from "../core/defined.ts";
import { problemOf, TranscriptError } from "../core/errors.ts";
import type { Dialect } from "../core/types.ts";
import type { EngineChoice } from "./engine-flags.ts";
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
  { dialect, pick, progress }: Pick<EngineChoice, "dialect" | "pick"> & { readonly progress: Progress },
): Promise<LoadedLog> {
  const reader = createLogReader({ name: file, ...defined({ dialect, pick }) });
  const label = `reading ${file === "-" ? "stdin" : file}`;
  try {
    for await (const line of readLines(file, io, (done, total) => progress.update(label, done, total)))
      reader.push(line);
    progress.clear();
    const log = readyLog(reader.end(), dialect);
    return { log, dialect: dialectById(log.dialect) };
  } catch (error) {
    throw error instanceof TranscriptError && file !== "-" ? named(file, error) : error;
  }
}

/** The same error with the file that it is about: whoever gave several, or a pattern, knows which one. */
function named(file: string, error: TranscriptError): TranscriptError {
  return new TranscriptError({ message: `${file}: ${problemOf(error)}`, fix: error.fix, cause: error });
}
