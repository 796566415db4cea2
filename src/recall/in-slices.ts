import type { Steps } from "../core/steps.ts";

/** Longest that work goes on before others have their turn, as far as its steps allow (milliseconds). */
const SLICE_MS = 12;

/** Lets others have their turn. Rejects once the signal has aborted. */
export async function breathe(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  signal?.throwIfAborted();
}

/** Runs steps in slices, so that a long conversation doesn't hold up everything else in the process. */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let began = performance.now();
  let step = steps.next();
  while (!step.done) {
    if (performance.now() - began >= SLICE_MS) {
      await breathe(signal);
      began = performance.now();
    }
    step = steps.next();
  }
  return step.value;
}
