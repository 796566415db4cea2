import { BudgetImpossibleError, ConfigError } from "./errors.ts";
import { shareOf } from "./hash.ts";
import type { Budget, Threshold } from "./types.ts";

/** Largest default output reserve, in tokens. */
const MAX_DEFAULT_RESERVE = 8_192;
/** Default output reserve as a share of small windows. */
const DEFAULT_RESERVE_SHARE = 1 / 8;
/** Default safety margin, as a share of the window. */
const DEFAULT_SAFETY_SHARE = 0.02;
/** A threshold above 1 is a number of tokens, and less than this many is surely a slip. */
export const LEAST_TOKENS = 100;
/** So is more than this many: no model has such a window. */
export const MOST_TOKENS = 100_000_000;

/** Landing for small and for large rooms, and where they lie (tokens); see docs/decisions for the figures. */
const LAND_SMALL = { room: 45_000, share: 0.3 };
const LAND_LARGE = { room: 100_000, share: 0.4 };
/** A compaction that lands above this share of the room costs more and comes again sooner. */
const LAND_MOST = 0.5;
/** Of the way from what every view shows to the start that somebody gave, a compaction goes back to this share … */
const HALF_WAY = 0.5;
/** … or at least to this one, where somebody gave the landing, too. */
const MOST_OF_WAY = 0.75;
/** A start that leaves less than this share of its own beside what every view shows is a share of what that leaves free. */
const LEAST_START = 0.5;

/** Compaction starts at this pressure, spread over ± `START_SPREAD` so that many conversations don't start at once. */
const START_AT = 0.8;
const START_SPREAD = 0.02;
/** Without a model a compaction costs nothing to wait for, and small budgets need all of their room. */
const START_AT_SMALL = 0.95;
const SMALL_BUDGET = 32_000;

/** Refuses what is neither a ratio (0–1] nor a number of tokens that a window may have. */
export function checkThreshold(option: string, value: Threshold): Threshold {
  const ratio = value > 0 && value <= 1;
  const tokens = value >= LEAST_TOKENS && value <= MOST_TOKENS;
  if (typeof value !== "number" || (!ratio && !tokens)) {
    throw new ConfigError({
      option,
      message:
        typeof value === "number" && value > MOST_TOKENS
          ? `${value} tokens are more than any window has.`
          : `${shown(value)} is neither a ratio (0–1] nor a number of tokens ≥ ${LEAST_TOKENS}.`,
      fix: `Write a ratio such as 0.8, or a number of tokens such as 8000.`,
    });
  }
  return value;
}

/** Options from files and from JavaScript may be texts: those are shown as such. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" ? "an object" : String(value);
}

export function thresholdTokens(value: Threshold, whole: number): number {
  return value <= 1 ? Math.floor(value * whole) : Math.floor(value);
}

/** Tokens that are kept free for an answer where nobody says how many. */
export function defaultReserve(window: number): number {
  return Math.min(MAX_DEFAULT_RESERVE, Math.floor(window * DEFAULT_RESERVE_SHARE));
}

/** The one budget: `min(options.budget, window − output reserve − tools − safety)`. Without a window nothing is subtracted. */
export function budgetOf(options: {
  readonly window: number | undefined;
  readonly budget: number | undefined;
  /** The host's own figure. */
  readonly reserve: Threshold | undefined;
  /** Tokens to be kept free for the answer where the host has no figure of its own. */
  readonly answer?: number | undefined;
  readonly safety: Threshold | undefined;
  readonly tools: number;
  readonly head: number;
}): Budget {
  const { window, tools, head } = options;
  if (window === undefined) {
    const budget = options.budget ?? 0;
    return { window, reserve: 0, tools: 0, safety: 0, budget, head, room: Math.max(0, budget - head) };
  }
  const reserve =
    options.reserve === undefined
      ? (options.answer ?? defaultReserve(window))
      : thresholdTokens(options.reserve, window);
  const safety =
    options.safety === undefined
      ? Math.floor(window * DEFAULT_SAFETY_SHARE)
      : thresholdTokens(options.safety, window);
  const left = window - reserve - tools - safety;
  if (left <= 0) {
    throw new BudgetImpossibleError({
      budget: left,
      needed: head,
      head,
      lastUserMessage: 0,
      message: `precis: nothing is left of the window: ${window} − ${reserve} (output reserve) − ${tools} (tools) − ${safety} (safety) = ${left} tokens.`,
      fix:
        tools > window / 2
          ? "Send fewer or smaller tools, or choose a model with a larger window."
          : `Lower ${safety > reserve ? "`safety`" : "the output reserve"}, or choose a model with a larger window.`,
    });
  }
  const budget = Math.min(options.budget ?? left, left);
  return { window, reserve, tools, safety, budget, head, room: Math.max(0, budget - head) };
}

/** A start and a landing, as far as somebody gave them. */
export interface StartAndLanding {
  readonly startAt?: Threshold | undefined;
  readonly landAt?: Threshold | undefined;
}

/**
 * Why a start and a landing can't work, whatever the budget is; the problem goes on from the landing. A share and a number of tokens can't be compared without it;
 * there the landing gives way when the budget is known.
 */
export function landingProblem({
  startAt,
  landAt,
}: StartAndLanding): { readonly problem: string; readonly fix: string } | undefined {
  if (typeof landAt !== "number") return undefined;
  if (landAt > LAND_MOST && landAt <= 1) {
    return {
      problem: `is above ${LAND_MOST}: the next compaction would be due almost at once`,
      fix: `Choose a landing of at most ${LAND_MOST}.`,
    };
  }
  if (typeof startAt !== "number" || startAt <= 1 !== landAt <= 1 || landAt < startAt) return undefined;
  return {
    problem: `isn't below startAt (${startAt}): nearly every request would be compacted`,
    fix: "Raise startAt, lower landAt, or leave landAt out: then a compaction lands at half of startAt or lower.",
  };
}

/** Why a start or a landing can't be reached in a window of so many tokens; the problem goes on from the value. */
export function windowProblem(
  value: Threshold | undefined,
  window: number,
): { readonly problem: string; readonly fix: string } | undefined {
  if (typeof value !== "number" || value <= 1 || value <= window) return undefined;
  return {
    problem: `is more tokens than the window has (${window})`,
    fix: "Give a share such as 0.8, or fewer tokens than the window has.",
  };
}

/** What was said of start and landing below others who speak of them, too: it gives way where both can't work together. */
export function givingWay<T extends StartAndLanding>(below: T, above: StartAndLanding): T {
  const startAt = above.startAt ?? below.startAt;
  const landAt = above.landAt ?? below.landAt;
  const isAbove = typeof above.startAt === "number" || typeof above.landAt === "number";
  if (!isAbove || !landingProblem({ startAt, landAt })) return below;
  const { startAt: _, landAt: __, ...rest } = below;
  return rest as T;
}

/** Where a compaction lands, in tokens of room. */
export function landing(
  room: number,
  landAt: Threshold | undefined,
  /** Tokens from what every compacted view holds to the next start, if somebody gave a start or a landing. */
  toStart = Number.POSITIVE_INFINITY,
): number {
  if (landAt !== undefined)
    return Math.floor(Math.min(thresholdTokens(landAt, room), room * LAND_MOST, toStart * MOST_OF_WAY));
  const way = (room - LAND_SMALL.room) / (LAND_LARGE.room - LAND_SMALL.room);
  const share = LAND_SMALL.share + (LAND_LARGE.share - LAND_SMALL.share) * Math.min(1, Math.max(0, way));
  return Math.floor(Math.min(room * share, toStart * HALF_WAY));
}

/** Pressure at which compaction starts, for one conversation. */
export function startPressure(options: {
  readonly startAt: Threshold | undefined;
  readonly budget: number;
  readonly model: boolean;
  /** Hash that names the conversation. */
  readonly conversation: string;
  /** Tokens of what every view shows: a start that they reach by themselves would compact each request. */
  readonly floor?: number;
}): number {
  const { startAt, budget, model, conversation, floor = 0 } = options;
  if (startAt !== undefined) {
    const pressure = startAt <= 1 ? startAt : startAt / budget;
    const taken = Math.min(1, floor / budget);
    const free = (1 - taken) * Math.min(1, pressure);
    return pressure < taken + free * LEAST_START ? taken + free : pressure;
  }
  if (!model && budget < SMALL_BUDGET) return START_AT_SMALL;
  return START_AT - START_SPREAD + 2 * START_SPREAD * shareOf(conversation);
}
