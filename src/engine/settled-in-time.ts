import { MAX_TIMER_MS } from "../models/shared/time-limit.ts";

/** Waits for a promise, but not longer than `ms`. True if it came in time. */
export async function settledInTime(
  promise: Promise<unknown>,
  ms: number,
  signal?: AbortSignal,
): Promise<boolean> {
  if (ms <= 0 || signal?.aborted) return false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = () => {};
  const late = new Promise<false>((resolve) => {
    stop = () => resolve(false);
    timer = setTimeout(stop, Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
