/** Longest wait that a timer holds: above it, it fires at once (milliseconds). */
export const MAX_TIMER_MS = 2_147_483_647;

/** A signal that is aborted after so many milliseconds: of any number, also one that no timer holds or that isn't whole. */
export function timeLimit(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(ms, MAX_TIMER_MS)));
}
