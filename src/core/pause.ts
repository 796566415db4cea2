/** Lets others have their turn, if the work that asks has gone on for long enough. Rejects once nobody waits for it any more. */
export type Pause = () => Promise<void>;

/**
 * What the work comes to; rejects with the signal's reason as soon as that aborts. A model of the host's own may not heed its
 * signal, and nobody is kept waiting for it.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
