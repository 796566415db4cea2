import { dialectById } from "../apis/index.ts";
import { createLogReader, type TranscriptLog } from "../apis/logs/index.ts";
import { readyLog } from "../apis/ready-log.ts";
import { problemOf, TranscriptError } from "../core/errors.ts";
import type { CompactorOptions, Dialect, Sized } from "../core/types.ts";
import { windowOptions } from "../eval/replay/model-counting.ts";
import { modelInfo } from "../tokens/index.ts";
import { UsageError } from "./flags.ts";
import { readLines } from "./read-lines.ts";
import type { Run } from "./run.ts";

/** A conversation that is ready for the engine. */
export interface OpenLog {
  readonly log: TranscriptLog;
  readonly dialect: Dialect<unknown>;
}

/** Reads FILE line by line and turns it into a transcript of one dialect. What is odd about it goes to stderr. */
export async function openLog(
  file: string,
  {
    io,
    options,
    progress,
    note,
  }: Pick<Run, "io" | "progress" | "note"> & {
    readonly options: { readonly dialect?: string; readonly pick?: number };
  },
): Promise<OpenLog> {
  const { dialect, pick } = options;
  const reader = createLogReader({ name: file, ...(dialect && { dialect }), ...(pick && { pick }) });
  const label = `reading ${file === "-" ? "stdin" : file}`;
  try {
    for await (const line of readLines(file, io, (done, total) => progress.update(label, done, total)))
      reader.push(line);
    progress.clear();
    const log = readyLog(reader.end(), dialect);
    log.warnings.forEach(note);
    return { log, dialect: dialectById(log.dialect) };
  } catch (error) {
    // Whoever gave several files, or a pattern, hears which one it is.
    throw error instanceof TranscriptError && file !== "-"
      ? new TranscriptError({ message: `${file}: ${problemOf(error)}`, fix: error.fix, cause: error })
      : error;
  }
}

export function knownModel(flag: string, id: string, fix: string): string {
  if (modelInfo(id).known) return id;
  throw new UsageError(`--${flag} ${id}: this model isn't in the registry. ${fix}`);
}

/** The compactor's own cap where the command says how small. */
const UNCAPPED = 1_000_000_000;

/** Counts as the model that a file names does, as `replay` and the page do, so that a file has one size everywhere. */
export function countedAs(
  model: string | undefined,
  window?: number,
): Sized & Pick<CompactorOptions<unknown>, "models"> {
  if (model === undefined || model === "") return window === undefined ? { budget: UNCAPPED } : { window };
  return windowOptions(model, window ?? UNCAPPED);
}
