import { costReport } from "../../eval/cost/cost-report.ts";
import { PRICES } from "../../eval/cost/price.ts";
import type { CostResult } from "../../eval/cost/run-cost.ts";
import { LEAST_TOKENS } from "../../eval/node/cost-sessions.ts";
import { costInThreads } from "../../eval/node/cost-threads.ts";
import { filesRead } from "../../eval/node/find-sets.ts";
import { parseTokens, UsageError } from "../flags.ts";
import { FileError } from "../read-lines.ts";
import type { RunOf } from "../run.ts";
import { checkDataFolder, createShow, DEFAULT_DATA, everyNth } from "./shared.ts";

/** Chains meet large windows, single sessions the small ones. */
const DEFAULT_WINDOWS = { sessions: "64k", chains: "128k" } as const;
const DEFAULT_HEAD = 15_000;
/** Kept free for the answer: less where the window is small (tokens). */
const RESERVE = { small: 4_000, usual: 8_000, smallUpTo: 32_000 } as const;
const MS_PER_MINUTE = 60_000;

/** What whole sessions cost under each strategy, prompt cache and all, beside sending everything. */
export async function cost(run: RunOf<"eval cost">): Promise<void> {
  const { io, options, progress } = run;
  const { chains = "yes", counter = "chars", data = DEFAULT_DATA, head = DEFAULT_HEAD, windows } = options;
  const prices = { ...PRICES[options.prices ?? "anthropic"], ...ttlOf(options.ttl) };
  checkDataFolder(data);
  const show = await createShow(run, () => filesRead(data));
  const results: CostResult[] = [];
  const measure = async (name: "sessions" | "chains"): Promise<void> => {
    for (const text of windows ?? [DEFAULT_WINDOWS[name]]) {
      const window = parseTokens("windows", text);
      const reserve = window <= RESERVE.smallUpTo ? RESERVE.small : RESERVE.usual;
      if (window - head - reserve <= 0)
        throw new UsageError(`--windows ${window}: a head of ${head} tokens leaves no room.`);
      const result = await costInThreads(
        name,
        {
          data,
          everyNth: everyNth(options),
          chained: name === "chains",
          counter,
          window,
          head,
          reserve,
          prices,
        },
        { signal: io.signal, onProgress: progress.update },
      );
      if (result) results.push(result);
    }
  };
  if (chains !== "only") await measure("sessions");
  if (chains !== "no") await measure("chains");
  progress.clear();
  if (results.length === 0)
    throw new FileError(`${data} holds no agent session of ${LEAST_TOKENS} tokens or more.`);
  await show({ results }, costReport(results), { ranges: false });
}

function ttlOf(ttl: string | undefined): { readonly ttlMs?: number } {
  if (ttl === undefined) return {};
  if (ttl === "never") return { ttlMs: Number.POSITIVE_INFINITY };
  const minutes = Number(ttl);
  if (!(minutes > 0)) throw new UsageError(`--ttl ${ttl}: give minutes above 0, or never.`);
  return { ttlMs: minutes * MS_PER_MINUTE };
}
