import type { ModelCall, Reason, Run, Summary } from "../core/types.ts";
import type { Call } from "./decide.ts";
import type { Engine } from "./engine.ts";
import { writeSummaries } from "./write-summaries.ts";

/** Conversations whose calls wait to be reported. */
const MAX_UNREPORTED = 10_000;

/**
 * Has a run summarised in the background, once per conversation at a time. Undefined if the summariser failed lately and
 * isn't asked; otherwise a promise that never rejects and brings the new records (none if it failed).
 */
export function requestSummary<M>(
  call: Call<M>,
  run: Run,
  why: {
    readonly reason: Reason;
    /** Ends the job, where a person waits for it and may give up. A turn's own signal doesn't: the job outlives it. */
    readonly cancel?: AbortSignal | undefined;
  },
): Promise<readonly Summary[]> | undefined {
  const { engine, seen, now } = call;
  const { jobs, circuit, emitter } = engine;
  const { name, pressure } = seen;
  const { reason, cancel } = why;
  const running = jobs.running(name);
  // A person who asks is answered, whatever failed before.
  if (!running && reason !== "forced" && !circuit.allows(name, pressure, now)) return undefined;
  const job =
    running ??
    jobs.start(name, async (ended) => {
      const signal = cancel ? AbortSignal.any([ended, cancel]) : ended;
      const calls: ModelCall[] = [];
      emitter.emit("started", { reason });
      circuit.begun(name);
      try {
        const records = await writeSummaries(call, run, { signal, calls });
        await engine.records.save({ summaries: records });
        circuit.succeeded(name);
        return records;
      } catch (error) {
        if (ended.aborted) emitter.emit("cancelled", { reason });
        else if (!cancel?.aborted) {
          circuit.failed(name, pressure, now);
          emitter.emit("failed", { error: asError(error), fallback: "extractive" });
        }
        throw error;
      } finally {
        circuit.ended(name);
        keepForReport(engine, name, calls);
      }
    });
  return job.then((records) => records ?? []);
}

/** The next compaction tells what was asked for it, whatever came of that. */
function keepForReport<M>({ unreported }: Engine<M>, name: string, calls: readonly ModelCall[]): void {
  if (calls.length === 0) return;
  const all = [...(unreported.get(name) ?? []), ...calls];
  unreported.delete(name);
  unreported.set(name, all);
  for (const oldest of unreported.keys()) {
    if (unreported.size <= MAX_UNREPORTED) break;
    unreported.delete(oldest);
  }
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
