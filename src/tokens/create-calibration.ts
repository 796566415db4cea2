import { keepNewest } from "../core/collections.ts";
import { modelInfo } from "./model-info.ts";

/** How many of the newest observations of a model count. */
const OBSERVATIONS = 20;
/** Requests below this many reported tokens say more about the provider's fixed overhead than about the text. */
const MIN_REPORTED_TOKENS = 1_000;
/** A factor outside of this is a misreading (a cached part left out, another request's numbers), not a tokenizer. */
const FACTOR_LIMITS = { min: 0.5, max: 3 };
/** Models remembered; the one that wasn't seen for longest goes first. */
const MODELS = 64;

/** One request: what we counted and what the provider reported. */
export interface Observation {
  readonly model: string;
  /** Our count of the whole request, tools included. */
  readonly counted: number;
  /** The provider's input tokens, cached ones included. */
  readonly reported: number;
  /** The factor that `counted` was made with. Default 1: a plain count. */
  readonly factor?: number;
}

/** What a calibration has learnt, as plain JSON: the newest pairs of plain count and reported tokens by model. */
export type CalibrationJson = Readonly<
  Record<string, readonly (readonly [counted: number, reported: number])[]>
>;

/** Learns, per model, by how much the provider's count differs from ours. */
export interface Calibration {
  /** The provider's tokens ÷ ours: the registry's starting value until something was observed. */
  factor(model: string): number;
  observe(observation: Observation): void;
  toJSON(): CalibrationJson;
}

/**
 * Learns a factor per model from the usage that the provider reports.
 *
 * The factor is the ratio of sums over the newest 20 requests, so a large request weighs more than a small one and a
 * single odd report can't turn it; it stays within 0.5–3. Same observations, same factor: no clock, no randomness.
 *
 * @example
 * const calibration = createCalibration();
 * calibration.observe({ model: "my-model", counted: 10_000, reported: 12_500 });
 * calibration.factor("my-model"); // 1.25
 */
export function createCalibration(saved?: unknown): Calibration {
  const pairs = new Map<string, (readonly [number, number])[]>(readSaved(saved));
  return {
    factor(model) {
      const seen = pairs.get(model);
      if (!seen || seen.length === 0) return modelInfo(model).factor;
      let counted = 0;
      let reported = 0;
      for (const [ours, theirs] of seen) {
        counted += ours;
        reported += theirs;
      }
      return Math.min(FACTOR_LIMITS.max, Math.max(FACTOR_LIMITS.min, reported / counted));
    },
    observe({ model, counted, reported, factor = 1 }) {
      const plain = counted / factor;
      if (!isUsable(plain, reported)) return;
      const seen = pairs.get(model) ?? [];
      keepNewest(pairs, model, [...seen, [plain, reported] as const].slice(-OBSERVATIONS), MODELS);
    },
    toJSON: () => Object.fromEntries([...pairs].map(([model, seen]) => [model, [...seen]])),
  };
}

/** A report that can't be of the request that was counted is left out instead of being clamped into the mean. */
function isUsable(counted: number, reported: number): boolean {
  if (!(counted > 0) || !Number.isFinite(counted)) return false;
  if (!(reported >= MIN_REPORTED_TOKENS) || !Number.isFinite(reported)) return false;
  const ratio = reported / counted;
  return ratio >= FACTOR_LIMITS.min && ratio <= FACTOR_LIMITS.max;
}

/** Saved calibrations come from outside: what doesn't fit is ignored, never believed. */
function readSaved(saved: unknown): [string, (readonly [number, number])[]][] {
  if (typeof saved !== "object" || saved === null) return [];
  const models: [string, (readonly [number, number])[]][] = [];
  for (const [model, seen] of Object.entries(saved)) {
    if (!Array.isArray(seen)) continue;
    const usable: (readonly [number, number])[] = [];
    for (const pair of seen as unknown[]) {
      if (!Array.isArray(pair)) continue;
      const [counted, reported] = pair as unknown[];
      if (typeof counted === "number" && typeof reported === "number" && isUsable(counted, reported))
        usable.push([counted, reported]);
    }
    if (usable.length > 0) models.push([model, usable.slice(-OBSERVATIONS)]);
  }
  return models.slice(-MODELS);
}
