import type { LastView, PackedCheckpoint, Records } from "../types.ts";

/** What is remembered of a conversation, ready for use. */
export interface Remembered extends Records {
  /** Checkpoints that this transcript doesn't begin with (another branch of the chat): they are carried along as they came. */
  readonly elsewhere: readonly PackedCheckpoint[];
  readonly head?: readonly unknown[];
  readonly last?: LastView;
}

export const NOTHING_REMEMBERED: Remembered = { checkpoints: [], summaries: [], undos: [], elsewhere: [] };

/** The records of both, each once. */
export function mergeRecords(remembered: Remembered, more: Partial<Records>): Remembered {
  const checkpoints = new Map(
    [...remembered.checkpoints, ...(more.checkpoints ?? [])].map((one) => [one.id, one]),
  );
  const undos = new Map([...remembered.undos, ...(more.undos ?? [])].map((one) => [one.checkpoint, one]));
  const summaries = new Map(
    [...remembered.summaries, ...(more.summaries ?? [])].map((one) => [one.key, one]),
  );
  return {
    ...remembered,
    checkpoints: [...checkpoints.values()],
    summaries: [...summaries.values()],
    undos: [...undos.values()],
  };
}
