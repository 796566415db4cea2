import type { Prices } from "../../core/types.ts";
import type { Replay, ReplayRequest } from "./simulate.ts";
import type { Survival } from "./survival.ts";

/** What a replay comes to, beside what sending everything would have come to. Estimated, if only a sample was replayed. */
export interface ReplayTotals {
  readonly requests: number;
  readonly compactions: number;
  /** Prompt tokens over all requests, tools included. */
  readonly sent: number;
  readonly sentWithout: number;
  /** Share of the prompt tokens that was the same as at the front of the request before. */
  readonly unchanged: number;
  readonly unchangedWithout: number;
  readonly largest: number;
  readonly budget: number;
  readonly transcript: number;
  /** Ordinal of the first request that would not have fitted without precis. */
  readonly firstTooLong: number | undefined;
  /** Requests after a pause in which the provider's cache had expired. */
  readonly cold: number;
  readonly cost: ReplayCost | undefined;
  /** What of the conversation the last view still says. */
  readonly survival?: Survival;
}

/** US dollars. */
interface ReplayCost {
  readonly with: CostParts;
  readonly without: CostParts;
}

interface CostParts {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly total: number;
}

/** How long a provider's prompt cache lasts unless it is used again. */
const CACHE_TTL_MS = 5 * 60_000;
const MILLION = 1e6;

export function totalsOf(replay: Replay, prices?: Prices): ReplayTotals {
  const { requests, every } = replay;
  const sent = sum(requests, ({ tokens, tools }) => tokens + tools);
  const sentWithout = sum(requests, ({ full, tools }) => full + tools);
  const later = requests.slice(1);
  const unchanged = sum(later, (request) => request.unchanged + request.tools);
  const unchangedWithout = sum(later, (request) => request.fullUnchanged + request.tools);
  const firstTooLong = requests.findIndex((request) => request.full > request.budget);
  return {
    requests: requests.length * every,
    compactions: replay.compactions.length,
    sent: sent * every,
    sentWithout: sentWithout * every,
    unchanged: sent === 0 ? 0 : unchanged / sent,
    unchangedWithout: sentWithout === 0 ? 0 : unchangedWithout / sentWithout,
    largest: largest(requests, ({ tokens }) => tokens),
    budget: requests.at(-1)?.budget ?? replay.budget?.budget ?? 0,
    transcript: requests.at(-1)?.full ?? 0,
    firstTooLong: firstTooLong < 0 ? undefined : firstTooLong * every,
    cold: later.filter((request, index) => isCold(request, requests[index])).length * every,
    cost: prices && costOf(requests, every, prices),
    ...(replay.survival && { survival: replay.survival }),
  };
}

/** Tokens of each view that the provider's prompt cache would have had, tools not included. */
export const cachedOf = (requests: readonly ReplayRequest[]): number[] =>
  requests.map((request, index) => (isCached(requests, index) ? request.unchanged : 0));

/** What each request costs under precis and without it. */
export const costsOf = (requests: readonly ReplayRequest[], prices: Prices): ReplayCost[] =>
  requests.map((request, index) => {
    const { tokens, unchanged, full, fullUnchanged } = request;
    const warm = isCached(requests, index);
    return {
      with: requestCost(request, tokens, warm ? unchanged : undefined, prices),
      without: requestCost(request, full, warm ? fullUnchanged : undefined, prices),
    };
  });

/** What is unchanged and still in the cache is read, the rest is written to it. Tools stand before everything. */
function requestCost(
  { tools, answer }: ReplayRequest,
  tokens: number,
  unchanged: number | undefined,
  prices: Prices,
): CostParts {
  const hit = unchanged === undefined ? 0 : unchanged + tools;
  const cacheRead = (hit * prices.cacheRead) / MILLION;
  const cacheWrite = ((tokens + tools - hit) * prices.cacheWrite) / MILLION;
  const output = (answer * prices.output) / MILLION;
  return { cacheRead, cacheWrite, output, total: cacheRead + cacheWrite + output };
}

function costOf(requests: readonly ReplayRequest[], every: number, prices: Prices): ReplayCost {
  const costs = costsOf(requests, prices);
  const parts = (of: (cost: ReplayCost) => CostParts): CostParts => ({
    cacheRead: sum(costs, (cost) => of(cost).cacheRead) * every,
    cacheWrite: sum(costs, (cost) => of(cost).cacheWrite) * every,
    output: sum(costs, (cost) => of(cost).output) * every,
    total: sum(costs, (cost) => of(cost).total) * every,
  });
  return { with: parts((cost) => cost.with), without: parts((cost) => cost.without) };
}

const isCached = (requests: readonly ReplayRequest[], index: number): boolean =>
  index > 0 && !isCold(requests[index]!, requests[index - 1]);

function isCold(request: ReplayRequest, before: ReplayRequest | undefined): boolean {
  if (request.time === undefined || before?.time === undefined) return false;
  return request.time - before.time > CACHE_TTL_MS;
}

const sum = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((total, one) => total + of(one), 0);

/** The largest of all; `Math.max` can't take the requests of a very long session as arguments. */
export const largest = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((most, one) => Math.max(most, of(one)), 0);
