/** Readers for conversations on disk: logs of agents, exports, request bodies. */
export { createLogReader, type LogReader } from "./create-log-reader.ts";
export { readLog, readLogs } from "./read-log.ts";
export type { LogOptions, LogSource, TranscriptLog } from "./types.ts";
