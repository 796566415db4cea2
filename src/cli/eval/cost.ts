import { type CostSession, chainSessions, sessionTokens } from "../../eval/cost/cost-session.ts";
import { costTables } from "../../eval/cost/cost-table.ts";
import { costPolicies } from "../../eval/cost/policy.ts";
import { type CachePrices, PRICES } from "../../eval/cost/price.ts";
import { type CostResult, runCost } from "../../eval/cost/run-cost.ts";
import { costSessions } from "../../eval/node/cost-sessions.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import type { Io } from "../io.ts";
import { type Flag, oneOf, type ParsedFlags, UsageError } from "../parse-flags.ts";
import { parseTokens } from "../parse-tokens.ts";
import { createProgress } from "../progress.ts";
import { FileError } from "../read-lines.ts";
import { checkDataFolder } from "./data-folder.ts";

/** Sessions below this never get near a window (tokens). */
const LEAST_TOKENS = 50_000;
/** Sessions are joined to chains of at least this length (tokens). */
const CHAIN_TOKENS = 500_000;
/** Chains meet large windows, single sessions the small ones. */
const DEFAULT_WINDOWS = { sessions: "64k", chains: "128k" } as const;
const DEFAULT_HEAD = "15k";
/** Kept free for the answer: less where the window is small (tokens). */
const RESERVE = { small: 4_000, usual: 8_000, smallUpTo: 32_000 } as const;
/** What recorded sessions of coding agents have on average. */
const CHARS_PER_TOKEN = 3.5;
const MS_PER_MINUTE = 60_000;
const SAMPLE_EVERY = 6;

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
  const counterName = oneOf("counter", flags.value("counter"), ["o200k", "chars"]) ?? "chars";
  const prices = pricesOf(flags);
  const head = parseTokens("head", flags.value("head") ?? DEFAULT_HEAD);
  const windows = flags.value("windows");
  checkDataFolder(data);
  const counter =
    counterName === "chars"
      ? charsCounter({ charsPerToken: CHARS_PER_TOKEN })
      : await exactCounter("o200k_base");
  const long = costSessions(data).filter((one) => sessionTokens(one, counter.count) >= LEAST_TOKENS);
  if (long.length === 0)
    throw new FileError(`${data} holds no agent session of ${LEAST_TOKENS} tokens or more.`);
  const sessions = flags.has("sample") ? long.filter((_, index) => index % SAMPLE_EVERY === 0) : long;
  const progress = createProgress(io, { json: flags.has("json") });
  const results: CostResult[] = [];
  const run = async (name: string, chosen: readonly CostSession[], list: string): Promise<void> => {
    for (const window of list.split(",").map((text) => parseTokens("windows", text))) {
      const reserve = window <= RESERVE.smallUpTo ? RESERVE.small : RESERVE.usual;
      if (window - head - reserve <= 0)
        throw new UsageError(`--windows ${window}: a head of ${head} tokens leaves no room.`);
      const result = await runCost({
        name,
        sessions: chosen,
        policies: costPolicies,
        window,
        head,
        reserve,
        prices,
        counter,
        onProgress(label, done, total) {
          io.signal.throwIfAborted();
          progress.update(label, done, total);
        },
      });
      results.push(result);
    }
  };
  if (chains !== "only") await run("sessions", sessions, windows ?? DEFAULT_WINDOWS.sessions);
  const joined = chains === "no" ? [] : chainSessions(sessions, CHAIN_TOKENS, counter.count);
  if (joined.length > 0) await run("chains", joined, windows ?? DEFAULT_WINDOWS.chains);
  progress.clear();
  io.stdout.write(
    flags.has("json") ? `${JSON.stringify({ results }, null, 2)}\n` : `${costTables(results)}\n`,
  );
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
