import { BudgetImpossibleError } from "./errors.ts";
import { shareOf } from "./hash.ts";
import type { AnswerSize, AnswerSizes, Budget, Report, Threshold } from "./types.ts";

/** Largest default output reserve, in tokens. */
const MAX_DEFAULT_RESERVE = 8_192;
/** Default output reserve as a share of small windows. */
const DEFAULT_RESERVE_SHARE = 1 / 8;
/** Default safety margin, as a share of the window. */
const DEFAULT_SAFETY_SHARE = 0.02;
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
      message: `precis: no room is left in the window: ${window} − ${reserve} (output reserve) − ${tools} (tools) − ${safety} (safety) = ${left} tokens.`,
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
      problem: `is above ${LAND_MOST}, the largest share of the room that a compaction may leave`,
      fix: `Use at most ${LAND_MOST}.`,
    };
  }
  if (typeof startAt !== "number" || startAt <= 1 !== landAt <= 1 || landAt < startAt) return undefined;
  return {
    problem: `isn't below startAt (${startAt}): nearly every request would be compacted`,
    fix: "Raise startAt, lower landAt, or omit landAt: a compaction then lands at half of startAt or lower.",
  };
}

/** Why a start or a landing can't be reached in a window of so many tokens; the problem goes on from the value. */
export function windowProblem(
  value: Threshold | undefined,
  window: number,
): { readonly problem: string; readonly fix: string } | undefined {
  if (typeof value !== "number" || value <= 1 || value <= window) return undefined;
  return {
    problem: `exceeds the window of ${window} tokens`,
    fix: "Give a share such as 0.8, or fewer tokens than the window.",
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

/** A longer name is no model's (characters). */
export const MAX_MODEL_NAME = 256;
/** No answer is longer: who says so is mistaken (tokens). */
export const MOST_ANSWER_TOKENS = 10_000_000;
/** So many of the newest answers count. The largest of them is about their 95th percentile. */
const NEWEST = 20;
/** Fewer answers than this don't tell that answers are short. One is enough to tell that they are long. */
const ENOUGH = 8;
/** The next answer may be longer than all before it. */
const MARGIN = 1.25;
/** An answer that was cut off would have been longer, nobody knows by how much. */
const CUT_OFF = 2;
/** No less than this is kept free, however short answers are (tokens). */
const LEAST_RESERVE = 1_024;
/** Answers that are longer than the first figure get up to this share of the window … */
const MOST_RESERVED = 1 / 5;
/** … and of what head, tools and last user message leave: a long answer must not make a request impossible. */
const MOST_OF_FREE = 1 / 4;

/** What is kept free before any answer was seen: min(the largest answer that is asked for, window ÷ 8, 8,192). */
export function firstReserve(window: number, maxAnswer: number | undefined): number {
  return Math.min(defaultReserve(window), maxAnswer ?? Number.POSITIVE_INFINITY);
}

/** What is kept free for the next answer, by what the answers before it took. */
export function reserveByAnswers(options: {
  readonly sizes: readonly AnswerSize[];
  readonly window: number;
  /** Largest answer that is asked for. */
  readonly maxAnswer: number | undefined;
  /** Tokens of the window that a request must leave for nothing else. */
  readonly free: number;
  /** Tokens that summaries need. */
  readonly least: number;
}): number {
  const { sizes, window, maxAnswer = Number.POSITIVE_INFINITY, free } = options;
  const first = firstReserve(window, maxAnswer);
  const step = answerStep(sizes);
  if (step === undefined) return first;
  const least = sizes.length < ENOUGH ? first : Math.min(first, Math.max(LEAST_RESERVE, options.least));
  const most = Math.max(first, Math.floor(Math.min(window * MOST_RESERVED, free * MOST_OF_FREE)));
  return Math.min(Math.max(step, least), most, maxAnswer);
}

/** What these answers ask to be kept free, in coarse steps: a budget that moved with every answer would move views. */
function answerStep(sizes: readonly AnswerSize[]): number | undefined {
  if (sizes.length === 0) return undefined;
  const wanted = MARGIN * Math.max(...sizes.map(([, tokens]) => tokens));
  const above = 2 ** Math.ceil(Math.log2(wanted));
  return wanted <= above * 0.75 ? above * 0.75 : above;
}

/** Do both lead to the same figure, whatever the window? */
export function haveSameStep(some: readonly AnswerSize[], others: readonly AnswerSize[]): boolean {
  const [one, other] = [some, others].map((sizes) => {
    const step = Math.max(LEAST_RESERVE, answerStep(sizes) ?? 0);
    return sizes.length < ENOUGH ? (step === LEAST_RESERVE ? "nothing" : `at least ${step}`) : step;
  });
  return one === other;
}

/** One more answer. */
export function answerSize(at: number, tokens: number, wasCutOff: boolean): AnswerSize {
  return [Math.floor(at), Math.ceil(wasCutOff ? tokens * CUT_OFF : tokens)];
}

/** The newest of both, each once. Whoever puts the same answers together gets the same, in whatever order they came. */
export function mergeSizes(
  some: readonly AnswerSize[],
  others: readonly AnswerSize[],
): readonly AnswerSize[] {
  if (others.length === 0) return some;
  return [...some, ...others]
    .sort(inOrder)
    .filter((one, at, all) => at === 0 || inOrder(all[at - 1]!, one) !== 0)
    .slice(-NEWEST);
}

const inOrder = (a: AnswerSize, b: AnswerSize): number => a[0] - b[0] || a[1] - b[1];

/** The sizes of one model among records of a conversation. */
export function sizesOf(
  records: readonly AnswerSizes[],
  { hash, model }: Pick<AnswerSizes, "hash" | "model">,
): readonly AnswerSize[] {
  return records
    .filter((one) => one.hash === hash && one.model === model)
    .reduce<readonly AnswerSize[]>((sizes, one) => mergeSizes(sizes, one.sizes), []);
}

/**
 * When a compaction pays. Prices are in units of the input price; the formula and its check against recorded sessions
 * are in docs/decisions. Plan and replay share this function.
 */
export interface BreakEvenInput {
  /** Tokens of the view now, of the view after landing, and of the head (all without tools). */
  readonly view: number;
  readonly landing: number;
  readonly head: number;
  /** Prices of a cached read, a cache write and an output token. */
  readonly read: number;
  readonly write: number;
  readonly output: number;
  /** The prompt cache has expired: the whole view must be written anyway. */
  readonly cold: boolean;
  /** Tokens that a model-written summary will have; 0 without a model. */
  readonly summary: number;
  /** Share of requests that find a cold cache. */
  readonly coldShare?: number;
}

/** What a request for a summary takes beside the messages that it is about (tokens). */
export const SUMMARY_INSTRUCTIONS = 1_000;
/** Share of requests that found a cold cache in recorded sessions. */
const COLD_SHARE = 0.032;

/** How many requests must still come for a compaction now to be cheaper than going on; 0 = it pays at once. */
export function breakEvenRequests(input: BreakEvenInput): number {
  const { view, landing, head, read, write, output, cold, summary } = input;
  const saved = view - landing;
  if (saved <= 0) return Number.POSITIVE_INFINITY;
  const coldShare = input.coldShare ?? COLD_SHARE;
  const call = summary > 0 ? read * (head + view) + SUMMARY_INSTRUCTIONS * write + output * summary : 0;
  // Cold: both ways write their whole prompt, so the smaller one saves at once what it doesn't write.
  const now = cold ? call - write * saved : (write - read) * landing + call;
  if (now <= 0) return 0;
  return now / (saved * (read + coldShare * (write - read)));
}

/**
 * A provider may count more than we do, by this share of the input at the most. Room for it is kept beside an answer that would fill
 * the window by our own count. No more than this share of what is left is kept: a cap that is a little lower costs nothing.
 */
const COUNT_SLACK = 0.25;

/** What a provider said about a request that it refused as too long. */
export interface Rejected {
  /** Its own count. */
  readonly tokens?: number;
  /** Its limit. */
  readonly limit?: number;
}

/**
 * The cap on an answer, lowered to what is surely left beside a view; never raised. Providers refuse input and largest answer that
 * together exceed the window, and a long answer must not cost the request.
 */
export function fittingCap(
  asked: number,
  { budget, tokens, warnings }: Pick<Report, "budget" | "tokens" | "warnings">,
  rejected?: Rejected,
): number {
  const { window } = budget;
  if (window === undefined) return asked;
  // A guess takes nothing from an answer, which would just end too early: the provider says what it takes.
  if (!rejected && warnings.some(({ code }) => code === "unknown-model")) return asked;
  // Some upstreams name the sum of input and answer: that says nothing about the input.
  const reported = rejected?.tokens !== undefined && rejected.tokens < window ? rejected.tokens : 0;
  const input = Math.max(tokens.after + budget.tools, reported);
  const left = Math.floor(window - input - budget.safety);
  if (left <= 0) return asked;
  // An upper bound of the input needs no slack, unless its answer would exceed it anyway.
  if (tokens.atMost && asked <= left) return asked;
  const withSlack = Math.floor(left - COUNT_SLACK * Math.min(input, left));
  // What is kept free is what answers really take: no slack is taken off that, unless the upstream does count more.
  return Math.min(asked, Math.max(1, withSlack, rejected ? 1 : Math.min(budget.reserve, left)));
}

/** Nothing is due below a pressure of 0.4, cold cache or not; calibration may find a fifth more than is known yet. */
const SURELY_SMALL = 0.325;

/**
 * A request with fewer tokens than this, its tools included, has surely nothing that is due; 0 where something else than
 * its size decides.
 */
export function surelyFitting(options: {
  readonly window: number | undefined;
  readonly budget: number | undefined;
  readonly reserve: Threshold | undefined;
  readonly safety: Threshold | undefined;
  readonly startAt: Threshold | undefined;
  readonly triggers: object | undefined;
  readonly frames: unknown;
  readonly maxAnswer: number | undefined;
}): number {
  const { window = Number.POSITIVE_INFINITY, budget = window, triggers = {}, frames } = options;
  if (frames !== undefined || Object.keys(triggers).length > 0) return 0;
  const { reserve = MOST_RESERVED, safety = DEFAULT_SAFETY_SHARE, startAt = 1, maxAnswer = 0 } = options;
  const kept = [reserve, safety].reduce((sum, one) => sum + (one <= 1 ? one * window : one), 0);
  const free = window === Number.POSITIVE_INFINITY ? budget : Math.min(budget, window - kept);
  const due = Math.min(free * SURELY_SMALL, startAt <= 1 ? free * startAt : startAt);
  // Beside an answer that may fill the window nothing fits: its cap has to be lowered, whatever the request's size.
  return Math.max(0, Math.min(due, window - maxAnswer));
}

/** Below this pressure no provider's count can differ so much that the view doesn't fit. */
const COUNT_FROM = 0.6;

/** Does a view come so near the budget that the provider itself should count it, where it can? */
export function isWorthCounting({ tokens, pressure }: Pick<Report, "tokens" | "pressure">): boolean {
  return !tokens.atMost && pressure.after >= COUNT_FROM;
}

/** Is a view too large by the provider's own count, tools included? */
export function isTooLarge(counted: number, { budget }: Pick<Report, "budget">): boolean {
  return counted > budget.budget + budget.tools;
}
