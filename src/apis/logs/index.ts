/** Readers for conversations on disk: logs of agents, exports, request bodies. */
export { createLogReader } from "./create-log-reader.ts";
export { readLog, readLogs } from "./read-log.ts";
export type { TranscriptLog } from "./types.ts";
