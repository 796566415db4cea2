import { costReport } from "../../eval/cost/cost-report.ts";
import { type CachePrices, PRICES } from "../../eval/cost/price.ts";
import type { CostResult } from "../../eval/cost/run-cost.ts";
import { LEAST_TOKENS } from "../../eval/node/cost-sessions.ts";
import { costInThreads } from "../../eval/node/cost-threads.ts";
import { filesRead } from "../../eval/node/find-sets.ts";
import type { Io } from "../io.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseTokens } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { FileError } from "../read-lines.ts";
import { checkDataFolder } from "./data-folder.ts";
import { createShow, everyNth } from "./results.ts";

/** Chains meet large windows, single sessions the small ones. */
const DEFAULT_WINDOWS = { sessions: "64k", chains: "128k" } as const;
const DEFAULT_HEAD = "15k";
/** Kept free for the answer: less where the window is small (tokens). */
const RESERVE = { small: 4_000, usual: 8_000, smallUpTo: 32_000 } as const;
const MS_PER_MINUTE = 60_000;

/** Flags of `precis eval cost` alone. */
export const COST_FLAGS = {
  windows: {
    value: "LIST",
    help: `cost: windows of the model (default: ${DEFAULT_WINDOWS.sessions} for sessions, ${DEFAULT_WINDOWS.chains} for chains)`,
  },
  head: { value: "N", help: `cost: tokens of system prompt and tools (default: ${DEFAULT_HEAD})` },
  prices: { value: "P", help: `cost: whose prices of cached tokens: ${Object.keys(PRICES).join(", ")}` },
  ttl: { value: "MIN", help: "cost: minutes that a prompt cache lives, or never (default: 5)" },
} as const satisfies Record<string, Flag>;

/** What whole sessions cost under each strategy, prompt cache and all, beside sending everything. */
export async function evalCost(flags: ParsedFlags, io: Io, data: string): Promise<void> {
  const chains = oneOf("chains", flags.value("chains"), ["no", "yes", "only"]) ?? "yes";
  const counter = oneOf("counter", flags.value("counter"), ["o200k", "chars"]) ?? "chars";
  const prices = pricesOf(flags);
  const head = parseTokens("head", flags.value("head") ?? DEFAULT_HEAD);
  checkDataFolder(data);
  const show = await createShow(flags, io, () => filesRead(data));
  const progress = createProgress(io, { json: flags.has("json") });
  const results: CostResult[] = [];
  const run = async (name: "sessions" | "chains"): Promise<void> => {
    for (const text of (flags.value("windows") ?? DEFAULT_WINDOWS[name]).split(",")) {
      const window = parseTokens("windows", text);
      const reserve = window <= RESERVE.smallUpTo ? RESERVE.small : RESERVE.usual;
      if (window - head - reserve <= 0)
        throw new UsageError(`--windows ${window}: a head of ${head} tokens leaves no room.`);
      const result = await costInThreads(
        name,
        {
          data,
          everyNth: everyNth(flags),
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
  if (chains !== "only") await run("sessions");
  if (chains !== "no") await run("chains");
  progress.clear();
  if (results.length === 0)
    throw new FileError(`${data} holds no agent session of ${LEAST_TOKENS} tokens or more.`);
  await show({ results }, costReport(results), { ranges: false });
}

function pricesOf(flags: ParsedFlags): CachePrices {
  const names = Object.keys(PRICES) as (keyof typeof PRICES)[];
  const prices = PRICES[oneOf("prices", flags.value("prices"), names) ?? "anthropic"];
  const ttl = flags.value("ttl");
  if (ttl === undefined) return prices;
  if (ttl === "never") return { ...prices, ttlMs: Number.POSITIVE_INFINITY };
  const minutes = Number(ttl);
  if (!(minutes > 0)) throw new UsageError(`--ttl ${ttl}: give minutes above 0, or never.`);
  return { ...prices, ttlMs: minutes * MS_PER_MINUTE };
}
