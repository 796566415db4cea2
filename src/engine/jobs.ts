/** Background work, one piece at a time per conversation. */
export interface Jobs<T> {
  /** The result of the job under way for this conversation, if there is one. */
  running(key: string): Promise<T | undefined> | undefined;
  /** Starts a job, or joins the one under way. The promise never rejects: a failed job resolves to undefined. */
  start(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  /** Ends everything that is under way, for good; its waiters, and those that come later, resume with undefined. */
  close(): void;
}

export function createJobs<T>(): Jobs<T> {
  const running = new Map<
    string,
    { readonly promise: Promise<T | undefined>; readonly controller: AbortController }
  >();
  let closed = false;
  return {
    running: (key) => running.get(key)?.promise,
    start(key, work) {
      const known = running.get(key);
      if (known) return known.promise;
      if (closed) return Promise.resolve(undefined);
      const controller = new AbortController();
      const cancelled = new Promise<undefined>((resolve) => {
        controller.signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      // The race frees the waiters at once, even if the work doesn't heed the signal.
      const promise = Promise.race([work(controller.signal).catch(() => undefined), cancelled]).finally(() =>
        running.delete(key),
      );
      running.set(key, { promise, controller });
      return promise;
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
