import { Worker } from "node:worker_threads";
import type { ThreadAnswer, ThreadData } from "./apply-thread.ts";

/** A thread that applies journals. */
export interface ApplyThread {
  /** Undefined if the thread isn't there (yet), or applied nothing. One call at a time. */
  apply(): Promise<ThreadAnswer>;
  close(): Promise<void>;
}

/** What a transaction read is garbage after it; with more room for that the process takes 100 MB more, and is no faster. */
const YOUNG_MB = 16;

export function startThread(data: ThreadData): ApplyThread {
  let state: "new" | "starting" | "ready" | "gone" = "new";
  let worker: Worker | undefined;
  let answer: ((value: ThreadAnswer) => void) | undefined;

  const settle = (value: ThreadAnswer): void => {
    worker?.unref();
    const waiting = answer;
    answer = undefined;
    waiting?.(value);
  };
  const gone = (): void => {
    state = "gone";
    settle(undefined);
  };
  const start = (): void => {
    state = "starting";
    worker = new Worker(new URL(FILE, import.meta.url), {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    // A thread without work must not keep a process alive that has nothing else to do.
    worker.unref();
    worker.on("online", () => {
      if (state === "starting") state = "ready";
    });
    worker.on("message", settle);
    worker.on("error", gone);
    worker.on("exit", gone);
  };

  return {
    apply() {
      if (state === "new") start();
      if (state !== "ready" || !worker) return Promise.resolve(undefined);
      worker.ref();
      worker.postMessage("apply");
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    async close() {
      if (!worker || state === "gone") return;
      const exited = new Promise((resolve) => worker?.once("exit", resolve));
      worker.postMessage("close");
      worker.ref();
      await exited;
    },
  };
}

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./apply-thread.ts" : "./apply-thread.js";
