import type { Observation } from "./types.ts";

/** An observation and the session it is from. Cases of one session aren't independent, so sessions are resampled. */
export interface SessionObservation extends Observation {
  readonly session: string;
}

/** A mean with its 95 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Cases that had something to say. */
  readonly cases: number;
  readonly sessions: number;
}

const RESAMPLES = 2_000;
const SEED = 20_240_607;
const TAIL = 0.025;

/** The 95 % interval of a statistic over 2,000 resamplings, each drawn by the random numbers that it is given. */
export function resampled(
  seed: number,
  statistic: (random: () => number) => number,
): { readonly low: number; readonly high: number } {
  const random = seededRandom(seed);
  const values = new Float64Array(RESAMPLES);
  for (let round = 0; round < RESAMPLES; round++) values[round] = statistic(random);
  values.sort();
  const at = (share: number) => values[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))]!;
  return { low: at(TAIL), high: at(1 - TAIL) };
}

interface Totals {
  readonly sum: number;
  readonly weight: number;
}

function bySession(observations: readonly SessionObservation[]): Totals[] {
  const totals = new Map<string, { sum: number; weight: number }>();
  for (const { session, sum, weight } of observations) {
    const total = totals.get(session);
    if (total) {
      total.sum += sum;
      total.weight += weight;
    } else {
      totals.set(session, { sum, weight });
    }
  }
  return [...totals.values()];
}

/** The interval of a statistic over sessions, drawn with replacement. */
function interval(
  sessions: number,
  statistic: (picks: Iterable<number>) => number,
): { readonly low: number; readonly high: number } {
  const picks = new Uint32Array(sessions);
  return resampled(SEED, (random) => {
    for (let i = 0; i < sessions; i++) picks[i] = Math.floor(random() * sessions);
    return statistic(picks);
  });
}

/** The mean over some of the sessions, by default each of them once. */
function meanOf(totals: readonly Totals[], picks: Iterable<number> = totals.keys()): number {
  let sum = 0;
  let weight = 0;
  for (const pick of picks) {
    const total = totals[pick]!;
    sum += total.sum;
    weight += total.weight;
  }
  return sum / weight;
}

/** The mean Σ sum ÷ Σ weight with its interval; undefined without observations. */
export function estimate(observations: readonly SessionObservation[]): Estimate | undefined {
  if (observations.length === 0) return undefined;
  const totals = bySession(observations);
  const range = interval(totals.length, (picks) => meanOf(totals, picks));
  return { mean: meanOf(totals), ...range, cases: observations.length, sessions: totals.length };
}

/** How much `a` is above `b` on the sessions that both have, with the interval of the paired difference. */
export function pairedDifference(
  a: readonly SessionObservation[],
  b: readonly SessionObservation[],
): Estimate | undefined {
  const inBoth = new Set(a.map((o) => o.session)).intersection(new Set(b.map((o) => o.session)));
  if (inBoth.size === 0) return undefined;
  const order = (list: readonly SessionObservation[]) =>
    bySession(
      list
        .filter((o) => inBoth.has(o.session))
        .toSorted((x, y) => (x.session < y.session ? -1 : x.session > y.session ? 1 : 0)),
    );
  const left = order(a);
  const right = order(b);
  const range = interval(left.length, (picks) => meanOf(left, picks) - meanOf(right, picks));
  return {
    mean: meanOf(left) - meanOf(right),
    ...range,
    cases: Math.min(a.length, b.length),
    sessions: left.length,
  };
}

/** A small seeded generator (mulberry32): the same seed gives the same intervals on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
