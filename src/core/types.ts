/**
 * Every type of the public surface, by subject. Folders above core import them from here.
 */
export type { EditReason } from "./edits.ts";
export type * from "./types/dialect.ts";
export type * from "./types/input.ts";
export type * from "./types/report.ts";
export type * from "./types/state.ts";
