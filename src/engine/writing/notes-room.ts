import type { Model } from "../../core/types.ts";
import { isTimeout, type Summarizer } from "../summarizer.ts";
import { summarizerWindow } from "./summarizer-window.ts";
import type { WritingTask } from "./writing-task.ts";

/** Notes are so many times as long as the record. */
const CEILINGS = 3;
/** They may take this share of the summariser's window: they are written and read again, and messages are what the window is for. */
const WINDOW_SHARE = 0.04;
/** Notes that are hardly longer than the record aren't worth asking for. */
const LEAST_CEILINGS = 1.5;

/** Models that had no time for them. */
const slow = new WeakSet<Model>();

/** Tokens of notes for the next record; 0 where there is more than one record. */
export function notesRoom<M>({
  operation,
  ceiling,
  rolling,
  summarizer,
}: Pick<WritingTask<M>, "operation" | "ceiling" | "rolling"> & {
  readonly summarizer: Pick<Summarizer, "model">;
}): number {
  const { model } = summarizer;
  const { hasCap } = operation.engine.settings;
  if (!rolling || hasCap || slow.has(model)) return 0;
  const room = Math.min(ceiling * CEILINGS, summarizerWindow(model) * WINDOW_SHARE);
  return room < ceiling * LEAST_CEILINGS ? 0 : Math.floor(room);
}

/** A model that didn't answer in time is asked for the record alone from then on. */
export function learnHaste(model: Model, error: unknown): void {
  if (isTimeout(error)) slow.add(model);
}
