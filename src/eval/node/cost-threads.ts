import { once } from "node:events";
import { availableParallelism } from "node:os";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { TokenCounter } from "../../core/types.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import { costPolicies } from "../cost/policy.ts";
import type { CachePrices } from "../cost/price.ts";
import { type CostResult, costOfSession, costResult, type SessionCost } from "../cost/run-cost.ts";
import { costRuns } from "./cost-sessions.ts";

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./cost-threads.ts" : "./cost-threads.js";
/** What recorded sessions of coding agents have on average. */
const CHARS_PER_TOKEN = 3.5;

/** What a thread is started with: plain data, from which it reads the sessions for itself. */
export interface CostRun {
  readonly data: string;
  readonly everyNth: number;
  readonly chained: boolean;
  readonly counter: "o200k" | "chars";
  readonly window: number;
  readonly head: number;
  readonly reserve: number;
  readonly prices: CachePrices;
}

interface Hooks {
  readonly signal: AbortSignal;
  readonly onProgress: (label: string, done: number, total: number) => void;
}

/** What all sessions of a folder cost, a thread for each core. Undefined where the folder has none that is long enough. */
export async function costInThreads(
  name: string,
  run: CostRun,
  { signal, onProgress }: Hooks,
): Promise<CostResult | undefined> {
  const counter = await counterOf(run);
  const total = costRuns(run.data, counter.count, run).length;
  if (total === 0) return undefined;
  const costs: SessionCost[] = [];
  let next = 0;
  let done = 0;
  const serve = async (): Promise<void> => {
    const thread = new Worker(new URL(FILE, import.meta.url), {
      workerData: { costsOf: run },
      execArgv: [],
    });
    try {
      while (next < total) {
        const session = next++;
        onProgress(`${name}, ${run.window}`, done, total);
        thread.postMessage(session);
        const [cost] = (await once(thread, "message", { signal })) as [SessionCost];
        costs[session] = cost;
        done++;
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(total, availableParallelism()) }, serve));
  return costResult({ ...run, name, policies: costPolicies, counter }, costs);
}

const counterOf = async ({ counter }: CostRun): Promise<TokenCounter> =>
  counter === "chars" ? charsCounter({ charsPerToken: CHARS_PER_TOKEN }) : exactCounter("o200k_base");

const own = (workerData as { readonly costsOf?: CostRun } | null)?.costsOf;
if (own && parentPort) {
  const port = parentPort;
  const reading = counterOf(own).then((counter) => ({
    options: { ...own, counter, policies: costPolicies },
    sessions: costRuns(own.data, counter.count, own),
  }));
  port.on("message", async (session: number) => {
    const { options, sessions } = await reading;
    port.postMessage(await costOfSession(sessions[session]!, options));
  });
}
