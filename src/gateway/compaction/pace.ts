import { setImmediate as breathe } from "node:timers/promises";
import type { Steps } from "../../core/steps.ts";

/** How long work may keep others waiting, as far as its steps allow (milliseconds). */
const SLICE_MS = 8;

/** Long work for one client, with turns for all others in between. */
export interface Pace {
  /** Lets the others have their turn, if this one was long enough. Throws when the client has gone: nobody needs what comes after. */
  pause(): Promise<void>;
  /** Runs steps with pauses between them. */
  run<T>(steps: Steps<T>): Promise<T>;
}

export function createPace({
  signal,
  onPause,
}: {
  readonly signal?: AbortSignal;
  readonly onPause?: () => void;
} = {}): Pace {
  let started = performance.now();
  const pause = async (): Promise<void> => {
    if (performance.now() - started < SLICE_MS) return;
    onPause?.();
    await breathe();
    signal?.throwIfAborted();
    started = performance.now();
  };
  return {
    pause,
    async run(steps) {
      let step = steps.next();
      while (!step.done) {
        await pause();
        step = steps.next();
      }
      return step.value;
    },
  };
}
