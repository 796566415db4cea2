import type { Run, Summary } from "../core/types.ts";
import type { Call } from "./decide.ts";
import { writeSummaries } from "./write-summaries.ts";

/**
 * Has a run summarised in the background, once per conversation at a time. Undefined if the summariser failed lately and
 * isn't asked; otherwise a promise that never rejects and brings the new records (none if it failed).
 */
export function requestSummary<M>(
  call: Call<M>,
  run: Run,
  /** Ends the job, where a person waits for it and may give up. A turn's own signal doesn't: the job outlives it. */
  cancel?: AbortSignal,
): Promise<readonly Summary[]> | undefined {
  const { engine, seen, now } = call;
  const { jobs, circuit, emitter } = engine;
  const { name, pressure } = seen;
  const running = jobs.running(name);
  if (!running && !circuit.allows(name, pressure, now)) return undefined;
  const job =
    running ??
    jobs.start(name, async (ended) => {
      const signal = cancel ? AbortSignal.any([ended, cancel]) : ended;
      emitter.emit("started", { reason: cancel ? "forced" : "pressure" });
      try {
        const written = await writeSummaries(call, run, signal);
        await engine.records.save({ summaries: written.records });
        engine.unreported.set(name, [...(engine.unreported.get(name) ?? []), ...written.calls]);
        circuit.succeeded(name);
        return written;
      } catch (error) {
        if (signal.aborted) emitter.emit("cancelled", { reason: "pressure" });
        else {
          circuit.failed(name, pressure, now);
          emitter.emit("failed", { error: asError(error), fallback: "extractive" });
        }
        throw error;
      }
    });
  return job.then((written) => written?.records ?? []);
}

/** Waits for a promise, but not longer than `ms`. True if it came in time. */
export async function within(promise: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (ms <= 0) return false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
    signal?.addEventListener("abort", () => resolve(false), { once: true });
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
