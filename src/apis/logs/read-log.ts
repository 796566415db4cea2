import { createLogReader, type LogReader } from "./create-log-reader.ts";
import type { LogOptions, TranscriptLog } from "./types.ts";

/** The conversation in a whole text. Throws `TranscriptError` when it holds several and `pick` chose none. */
export const readLog = (text: string, options: LogOptions = {}): TranscriptLog => feed(text, options).end();

/** All conversations in a whole text, at least one. */
export const readLogs = (text: string, options: LogOptions = {}): readonly TranscriptLog[] =>
  feed(text, options).endAll();

function feed(text: string, options: LogOptions): LogReader {
  const reader = createLogReader(options);
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf("\n", start);
    reader.push(text.slice(start, end < 0 ? undefined : end));
    if (end < 0) break;
    start = end + 1;
  }
  return reader;
}
