/** Readers for conversations on disk: logs of agents, exports, request bodies. */
export { createLogReader, readLog, readLogs } from "./create-log-reader.ts";
export type { TranscriptLog } from "./types.ts";
