import { ConfigError, ModelError } from "../../core/errors.ts";
import { unlessAborted } from "../../core/pause.ts";

/** How often and how long a failed request is tried again. */
export interface RetryOptions {
  /** Requests in all, the first included. Default 3; 1 never tries again. */
  readonly attempts?: number;
  /** Wait before the second request; doubled each time. Default 500 ms. */
  readonly baseMs?: number;
  /** Longest wait that isn't the provider's own wish. Default 20 s. */
  readonly maxMs?: number;
  /** Time for everything: requests and waits. Default 120 s. */
  readonly deadlineMs?: number;
  /** A number in [0, 1) that spreads the waits of many clients. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The clock. Default `Date.now`. */
  readonly now?: () => number;
}

const DEFAULTS = { attempts: 3, baseMs: 500, maxMs: 20_000, deadlineMs: 120_000 };
/** Half of a wait is fixed, the other half is spread. */
const FIXED_SHARE = 0.5;

/** What one attempt gets: aborted by the caller, and by the deadline. */
interface Attempt {
  readonly number: number;
  readonly signal: AbortSignal;
}

/** Tries until it works, the failure is final, the attempts are used up, or time is. Only `ModelError`s are retried. */
type Retry = <T>(
  model: string,
  signal: AbortSignal | undefined,
  attempt: (attempt: Attempt) => Promise<T>,
) => Promise<T>;

export function createRetry(options: RetryOptions = {}): Retry {
  const settings = { ...DEFAULTS, ...options };
  check(settings);
  const { random = Math.random, sleep = timer, now = Date.now } = options;

  return async (model, signal, attempt) => {
    if (signal?.aborted) throw cancelled(model, signal);
    const end = now() + settings.deadlineMs;
    const deadline = new AbortController();
    const clock = setTimeout(() => deadline.abort(), Math.min(settings.deadlineMs, MAX_TIMER_MS));
    const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
    try {
      for (let number = 1; ; number += 1) {
        try {
          return await unlessAborted(attempt({ number, signal: either }), either);
        } catch (error) {
          if (signal?.aborted) throw cancelled(model, signal);
          if (deadline.signal.aborted) throw timedOut(model, settings.deadlineMs, error);
          if (!(error instanceof ModelError) || !error.retryable || number >= settings.attempts) throw error;
          const spread = FIXED_SHARE + (1 - FIXED_SHARE) * random();
          const backoff = Math.min(settings.maxMs, settings.baseMs * 2 ** (number - 1)) * spread;
          const wait = error.retryAfterMs ?? backoff;
          // Waiting past the end would only hold the caller up.
          if (now() + wait >= end) throw error;
          await sleep(wait, either).catch(() => undefined);
          if (signal?.aborted) throw cancelled(model, signal);
          if (deadline.signal.aborted) throw timedOut(model, settings.deadlineMs, error);
        }
      }
    } finally {
      clearTimeout(clock);
    }
  };
}

function check(settings: typeof DEFAULTS): void {
  for (const name of ["attempts", "baseMs", "maxMs", "deadlineMs"] as const) {
    const value = settings[name];
    const least = name === "attempts" || name === "deadlineMs" ? 1 : 0;
    if (Number.isFinite(value) && value >= least) continue;
    throw new ConfigError({
      option: `retry.${name}`,
      message: `${String(value)} is not a number from ${least} on.`,
      fix: `Leave it out for the default of ${DEFAULTS[name]}.`,
    });
  }
}

/** Waits so long, or until the signal. */
export function timer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(handle);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const handle = setTimeout(done, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener("abort", done, { once: true });
  });
}

function cancelled(model: string, signal: AbortSignal): ModelError {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  return new ModelError({
    model,
    failure: isTimeout ? "timeout" : "cancelled",
    message: isTimeout ? "the caller's time limit was reached." : "the request was cancelled.",
    fix: isTimeout ? "Give it more time, or use a faster model." : "Nothing needs to be done.",
    retryable: isTimeout,
    cause: signal.reason,
  });
}

function timedOut(model: string, deadlineMs: number, cause: unknown): ModelError {
  const last = cause instanceof ModelError ? cause : undefined;
  return new ModelError({
    model,
    failure: "timeout",
    message: `no answer within ${deadlineMs} ms.`,
    fix: "Raise `retry.deadlineMs`, or use a faster model.",
    retryable: true,
    ...(last?.status === undefined ? {} : { status: last.status }),
    cause: last,
  });
}

/** Longest wait that a timer holds: above it, it fires at once (milliseconds). */
export const MAX_TIMER_MS = 2_147_483_647;

/** A signal that is aborted after so many milliseconds: of any number, also one that no timer holds or that isn't whole. */
export function timeLimit(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(ms, MAX_TIMER_MS)));
}
