import type { GatewayConfig } from "../../config/gateway-schema.ts";
import type { CompactorChoice } from "./compactors.ts";
import { createLearned, type Learned } from "./learned.ts";

/** What a request shows of its provider's cache: how long after the request before it, and whether that was still there. */
interface CacheReading {
  readonly idleMs: number;
  readonly isHit: boolean;
}

/** How long providers keep a prompt that isn't used again, learned from what they report. */
export interface CacheTimes {
  learn(upstream: string, model: string, reading: CacheReading): void;
  /** Milliseconds; 0 for a provider that keeps nothing; undefined while too little is known. */
  of(upstream: string, model: string): number | undefined;
}

/** Readings on each side before they are believed: one may be an accident. */
const ENOUGH = 4;
/** Readings that are kept of one model: providers change, and so do plans. */
const MAX_READINGS = 128;
/** A provider with any cache keeps a prompt for so long. */
const SURELY_KEPT_MS = 60_000;
/** Times that providers promise. One of them is believed where the readings leave room for it. */
const USUAL_MS = [5 * 60_000, 60 * 60_000];

/** What is kept of one model. */
interface CacheTime {
  readonly ms: number | undefined;
  readonly readings: readonly CacheReading[];
}

export function createCacheTimes(learned: Learned = createLearned()): CacheTimes {
  // A provider keeps prompts alike, whoever asks.
  const known = (upstream: string, model: string): CacheTime | undefined =>
    learned.get<CacheTime>("cache", { tenant: "", upstream, model })?.value;
  return {
    learn(upstream, model, reading) {
      const readings = [...(known(upstream, model)?.readings ?? []), reading].slice(-MAX_READINGS);
      learned.set("cache", { tenant: "", upstream, model }, { ms: timeOf(readings), readings });
    },
    of: (upstream, model) => known(upstream, model)?.ms,
  };
}

/** How long a prompt is kept, as somebody set it. */
export const cacheMsOf = (
  { tuning, upstream }: Pick<CompactorChoice, "tuning" | "upstream">,
  config: Pick<GatewayConfig, "cache">,
): number | undefined => tuning?.cache?.ttlMs ?? upstream?.config.cache?.ttlMs ?? config.cache?.ttlMs;

/** The time that fewest of the readings speak against, between a hit and a miss. */
function timeOf(readings: readonly CacheReading[]): number | undefined {
  const sorted = readings.toSorted((a, b) => a.idleMs - b.idleMs);
  const hits = sorted.filter(({ isHit }) => isHit);
  const misses = sorted.length - hits.length;
  if (hits.length === 0) {
    const soon = sorted.filter(({ idleMs }) => idleMs <= SURELY_KEPT_MS).length;
    return soon >= ENOUGH ? 0 : undefined;
  }
  if (hits.length < ENOUGH) return undefined;
  // Never a miss: at least as long as several waited.
  if (misses < ENOUGH) {
    const long = hits.at(-ENOUGH)!.idleMs;
    return long > USUAL_MS[0]! ? (USUAL_MS.find((ms) => ms >= long) ?? long) : undefined;
  }
  // With a time of 0 all hits are wrong; each reading that it passes is set right or wrong.
  let wrong = hits.length;
  let best = { wrong, at: -1 };
  for (const [at, { isHit }] of sorted.entries()) {
    wrong += isHit ? -1 : 1;
    if (wrong <= best.wrong) best = { wrong, at };
  }
  const low = sorted[best.at]?.idleMs ?? 0;
  const high = sorted[best.at + 1]?.idleMs ?? low;
  const usual = USUAL_MS.find((ms) => ms >= low && ms <= high);
  return usual ?? Math.max(SURELY_KEPT_MS, Math.sqrt(low * high));
}
