import type { Prices } from "../../core/types.ts";
import type { Replay, ReplayRequest } from "./simulate.ts";

/** What a replay comes to, beside what sending everything would have come to. */
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
}

/** US dollars. */
export interface ReplayCost {
  readonly with: CostParts;
  readonly without: CostParts;
}

export interface CostParts {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly total: number;
}

/** How long a provider's prompt cache lasts unless it is used again. */
const CACHE_TTL_MS = 5 * 60_000;

export function totalsOf(
  replay: Replay,
  options: { readonly prices?: Prices; readonly ttlMs?: number } = {},
): ReplayTotals {
  const { requests } = replay;
  const ttlMs = options.ttlMs ?? CACHE_TTL_MS;
  const cold = requests.map((request, index) => isCold(request, requests[index - 1], ttlMs));
  const sent = sum(requests, (request) => request.tokens + request.tools);
  const sentWithout = sum(requests, (request) => request.full + request.tools);
  const unchanged = sum(requests, (request, index) => (index === 0 ? 0 : request.unchanged + request.tools));
  const unchangedWithout = sum(requests, (request, index) =>
    index === 0 ? 0 : request.fullUnchanged + request.tools,
  );
  const firstTooLong = requests.findIndex((request) => request.full > request.budget);
  return {
    requests: requests.length,
    compactions: replay.compactions.length,
    sent,
    sentWithout,
    unchanged: sent === 0 ? 0 : unchanged / sent,
    unchangedWithout: sentWithout === 0 ? 0 : unchangedWithout / sentWithout,
    largest: Math.max(0, ...requests.map((request) => request.tokens)),
    budget: requests.at(-1)?.budget ?? replay.budget?.budget ?? 0,
    transcript: requests.at(-1)?.full ?? 0,
    firstTooLong: firstTooLong < 0 ? undefined : firstTooLong,
    cold: cold.filter((value) => value).length,
    cost:
      options.prices === undefined
        ? undefined
        : {
            with: costOf(requests, cold, options.prices, (request) => [request.tokens, request.unchanged]),
            without: costOf(requests, cold, options.prices, (request) => [
              request.full,
              request.fullUnchanged,
            ]),
          },
  };
}

function isCold(request: ReplayRequest, before: ReplayRequest | undefined, ttlMs: number): boolean {
  if (request.time === undefined || before?.time === undefined) return false;
  return request.time - before.time > ttlMs;
}

/** What is unchanged and still in the cache is read, the rest is written to it. Tools stand before everything. */
function costOf(
  requests: readonly ReplayRequest[],
  cold: readonly boolean[],
  prices: Prices,
  tokensOf: (request: ReplayRequest) => readonly [tokens: number, unchanged: number],
): CostParts {
  let read = 0;
  let written = 0;
  let answers = 0;
  for (const [index, request] of requests.entries()) {
    const [tokens, unchanged] = tokensOf(request);
    const hit = index === 0 || cold[index] === true ? 0 : unchanged + request.tools;
    read += hit;
    written += tokens + request.tools - hit;
    answers += request.answer;
  }
  const cacheRead = (read * prices.cacheRead) / 1e6;
  const cacheWrite = (written * prices.cacheWrite) / 1e6;
  const output = (answers * prices.output) / 1e6;
  return { cacheRead, cacheWrite, output, total: cacheRead + cacheWrite + output };
}

const sum = (
  requests: readonly ReplayRequest[],
  of: (request: ReplayRequest, index: number) => number,
): number => requests.reduce((total, request, index) => total + of(request, index), 0);
