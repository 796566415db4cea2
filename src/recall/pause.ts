import type { Pause } from "../core/pause.ts";

/** Longest that work goes on before others have their turn, as far as its pauses allow (milliseconds). */
const SLICE_MS = 12;

/** Lets others have their turn at once. Rejects once the signal has aborted. */
export async function breathe(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal?.throwIfAborted();
}

/** The pauses of one piece of work: most of them are over at once. */
export function createPause(signal?: AbortSignal): Pause {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await breathe(signal);
    began = performance.now();
  };
}
