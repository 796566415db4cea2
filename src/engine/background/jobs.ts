import { MAX_TIMER_MS } from "../../models/shared/retry.ts";

/** Background work, one piece at a time per conversation. */
export interface Jobs<T> {
  /** The result of the job under way for this conversation, if there is one. */
  running(key: string): Promise<T | undefined> | undefined;
  /**
   * Starts a job, or joins the one under way. The promise never rejects: a failed job resolves to undefined. Whoever gives a
   * signal waits until it is aborted; a job for which nobody waits any more is ended.
   */
  start(key: string, work: (signal: AbortSignal) => Promise<T>, leaves?: AbortSignal): Promise<T | undefined>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** Ends everything that is under way, for good; its waiters, and those that come later, resume with undefined. */
  close(): void;
}

interface Job<T> {
  readonly promise: Promise<T | undefined>;
  readonly controller: AbortController;
  waiters: number;
}

export function createJobs<T>(): Jobs<T> {
  const running = new Map<string, Job<T>>();
  let closed = false;

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Job<T> => {
    const controller = new AbortController();
    const cancelled = new Promise<undefined>((resolve) => {
      controller.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    // The race frees the waiters at once, even if the work doesn't heed the signal.
    const promise = Promise.race([work(controller.signal).catch(() => undefined), cancelled]).finally(() => {
      if (running.get(key) === job) running.delete(key);
    });
    const job: Job<T> = { promise, controller, waiters: 0 };
    running.set(key, job);
    return job;
  };

  /** Counts a waiter, and ends the job when the last one has left. */
  const join = (key: string, job: Job<T>, leaves: AbortSignal | undefined): Promise<T | undefined> => {
    job.waiters++;
    if (!leaves) return job.promise;
    return new Promise((resolve) => {
      const leave = (): void => {
        resolve(undefined);
        if (--job.waiters > 0) return;
        // Whoever comes from now on begins anew.
        if (running.get(key) === job) running.delete(key);
        job.controller.abort(leaves.reason);
      };
      if (leaves.aborted) leave();
      else leaves.addEventListener("abort", leave, { once: true });
      void job.promise.then((result) => {
        leaves.removeEventListener("abort", leave);
        resolve(result);
      });
    });
  };

  return {
    running: (key) => running.get(key)?.promise,
    start(key, work, leaves) {
      if (closed) return Promise.resolve(undefined);
      return join(key, running.get(key) ?? begin(key, work), leaves);
    },
    async settled() {
      while (running.size > 0) await Promise.all([...running.values()].map(({ promise }) => promise));
    },
    close() {
      closed = true;
      for (const { controller } of running.values()) controller.abort();
    },
  };
}

/** Places for work under way at once, over all conversations. */
export interface Places {
  /** Nobody more can even wait. */
  readonly isFull: boolean;
  /** Waits for a place. The work leaves it by calling what it is given. Rejects if the signal is aborted while it waits. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createPlaces(most: number, mostWaiting: number): Places {
  const waiting = new Set<() => void>();
  let taken = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (!next) taken--;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    get isFull() {
      return taken >= most && waiting.size >= mostWaiting;
    },
    async take(signal) {
      signal.throwIfAborted();
      if (taken < most) taken++;
      else
        await new Promise<void>((resolve, reject) => {
          const gone = (): void => {
            waiting.delete(go);
            reject(signal.reason);
          };
          const go = (): void => {
            signal.removeEventListener("abort", gone);
            resolve();
          };
          waiting.add(go);
          signal.addEventListener("abort", gone, { once: true });
        });
      return leave;
    },
  };
}

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
