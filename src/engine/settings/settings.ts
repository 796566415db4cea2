import {
  defaultReserve,
  givingWay,
  landingProblem,
  type StartAndLanding,
  thresholdTokens,
} from "../../core/budget.ts";
import { ConfigError } from "../../core/errors.ts";
import { defaultsOf, TUNING } from "../../core/options.ts";
import type {
  CompactorOptions,
  ModelInfo,
  Placement,
  StrategyName,
  SummaryOptions,
  TailOptions,
  Threshold,
  Tuning,
  Warning,
} from "../../core/types.ts";
import { STRATEGY_WORDS } from "../../core/words.ts";
import { modelInfo } from "../../tokens/index.ts";
import { checkOptions } from "./check.ts";

/** A step that a strategy may take once a compaction is due; each stands in `ladder/`. */
export type Step =
  | "reduce"
  | "summarize"
  | "summarize-all"
  | "summarize-rounds"
  | "summarize-range"
  | "drop-oldest"
  | "drop-middle"
  | "drop-all"
  | "hard-cut";

/** What a strategy is made of. */
export interface Strategy {
  /** What a person reads: its name, and what it does. */
  readonly label: string;
  readonly help: string;
  /** Aim at the landing. A strategy without steps refuses what doesn't fit. */
  readonly steps: readonly Step[];
  /** Aim only at the budget, and are taken only when the view is above it: so a plan always ends in a view. */
  readonly lastResort: readonly Step[];
  /** The first user message is shown in every view, as long as it isn't large. */
  readonly keepsFirst?: true;
}

/** The strategies. Rung 0 (nothing due) comes before all of them. */
export const strategies: Readonly<Record<StrategyName, Strategy>> = {
  none: { ...STRATEGY_WORDS.none, steps: [], lastResort: [] },
  "truncate-oldest": {
    ...STRATEGY_WORDS["truncate-oldest"],
    steps: ["drop-oldest"],
    lastResort: ["hard-cut"],
  },
  "drop-middle": { ...STRATEGY_WORDS["drop-middle"], steps: ["drop-middle"], lastResort: ["hard-cut"] },
  "drop-all": { ...STRATEGY_WORDS["drop-all"], steps: ["drop-all"], lastResort: [] },
  "summarize-oldest": {
    ...STRATEGY_WORDS["summarize-oldest"],
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
  },
  "summarize-middle": {
    ...STRATEGY_WORDS["summarize-middle"],
    steps: ["reduce", "summarize"],
    lastResort: ["drop-middle", "hard-cut"],
    keepsFirst: true,
  },
  "summarize-and-drop": {
    ...STRATEGY_WORDS["summarize-and-drop"],
    steps: ["summarize-all"],
    lastResort: ["drop-all"],
  },
  "tool-summaries": {
    ...STRATEGY_WORDS["tool-summaries"],
    steps: ["reduce", "summarize-rounds"],
    lastResort: ["drop-oldest", "hard-cut"],
  },
};

/** Does the strategy show what a model writes? */
export function usesSummaries(strategy: StrategyName): boolean {
  return strategies[strategy].steps.some((step) => step.startsWith("summarize"));
}

/** Options after profile and defaults, checked once and frozen. */
export interface Settings {
  readonly profile: string | undefined;
  readonly strategy: StrategyName;
  readonly window: number | undefined;
  readonly model: ModelInfo | undefined;
  readonly budget: number | undefined;
  readonly startAt: Threshold | undefined;
  readonly landAt: Threshold | undefined;
  readonly reserve: Threshold | undefined;
  readonly safety: Threshold | undefined;
  readonly tail: Defaults["tail"];
  /** The tail is precis's to size: neither host nor profile said anything about it. */
  readonly freeTail: boolean;
  /** Somebody said how many messages, turns or rounds stay, and no share: the number holds up to the budget. */
  readonly countedTail: boolean;
  /** Host or profile said what a summary may cost: no answer of a model may be longer. */
  readonly hasCap: boolean;
  readonly placement: Placement;
  readonly triggers: NonNullable<Tuning["triggers"]>;
  readonly auto: boolean;
  readonly images: Defaults["images"];
  readonly cache: Defaults["cache"];
  readonly summary: Defaults["summary"];
  readonly recall: Defaults["recall"];
  readonly waitMs: number;
  /** How long a compaction that a person asked for waits for its summary. */
  readonly compactWaitMs: number;
  readonly frames: Tuning["frames"];
  readonly warnings: readonly Warning[];
}

/** What holds where neither host nor profile says anything. */
const DEFAULTS = {
  tail: defaultsOf(TUNING.tail),
  images: defaultsOf(TUNING.images),
  cache: defaultsOf(TUNING.cache),
  summary: defaultsOf(TUNING.summary),
  recall: defaultsOf(TUNING.recall),
};
type Defaults = typeof DEFAULTS;
/** How long a compaction that a person asked for waits for its summary, where the host says nothing about waiting (milliseconds). */
const COMPACT_WAIT_MS = 60_000;
/** A narrative of so many tokens tells nearly everything of 100,000: less room than that is worth a warning. */
export const USUAL_NARRATIVE = 2_500;

/** Options over profile over defaults; anything that can't work is refused here, by name. */
export function resolveSettings<M>(options: CompactorOptions<M>): Settings {
  checkOptions(options);
  const { profile: given } = options;
  const tuning: Tuning = options;
  if (given) checkLanding(given);
  const profile = given && givingWay(given, tuning);
  const pick = <K extends keyof Tuning>(key: K): Tuning[K] | undefined => tuning[key] ?? profile?.[key];
  const warnings: Warning[] = [];
  const { model, window } = windowOf(options, warnings);
  const budget = pick("budget");
  checkSizes(window, budget);
  checkLanding({ startAt: pick("startAt"), landAt: pick("landAt") });
  if (window !== undefined) checkMargins(pick("reserve"), pick("safety"));
  const tail = { ...profile?.tail, ...options.tail };
  const settings: Settings = {
    profile: profile?.name,
    strategy: pick("strategy") ?? TUNING.strategy.default!,
    window,
    model,
    budget,
    startAt: pick("startAt"),
    landAt: pick("landAt"),
    reserve: pick("reserve"),
    safety: pick("safety"),
    tail: { ...DEFAULTS.tail, ...tail },
    freeTail: Object.keys(tail).length === 0,
    countedTail: isCounted(options.tail) ?? isCounted(tail) ?? false,
    hasCap: hasCap(options.summary, profile?.summary),
    placement: pick("placement") ?? TUNING.placement.default!,
    triggers: { ...profile?.triggers, ...options.triggers },
    auto: pick("auto") ?? TUNING.auto.default!,
    images: pick("images") ?? DEFAULTS.images,
    cache: { ...DEFAULTS.cache, ...profile?.cache, ...options.cache },
    summary: summarySettings(options, profile?.summary, window, pick("reserve"), warnings),
    recall: { ...DEFAULTS.recall, ...profile?.recall, ...options.recall },
    waitMs: pick("waitMs") ?? TUNING.waitMs.default!,
    compactWaitMs: pick("waitMs") ?? COMPACT_WAIT_MS,
    frames: pick("frames"),
    warnings,
  };
  return Object.freeze(settings);
}

/** The window, and the model whose it is if the host named one. */
function windowOf<M>(
  { window, models }: CompactorOptions<M>,
  warnings: Warning[],
): Pick<Settings, "model" | "window"> {
  if (typeof window !== "object") return { model: undefined, window };
  const model = modelInfo(window.model, models);
  if (!model.known)
    warnings.push({
      code: "unknown-model",
      message: `The model ${model.id} isn't in the registry, so a window of ${model.window} tokens is assumed. Give \`window\` as a number, or describe the model in \`models\`.`,
    });
  return { model, window: model.window };
}

function checkSizes(window: number | undefined, budget: number | undefined): void {
  if (window === undefined && budget === undefined)
    throw new ConfigError({
      option: "window",
      message: "neither `window` nor `budget` is given.",
      fix: 'Give the model\'s context size (`window: 128_000`), a model to look up (`window: { model: "…" }`), or a `budget`.',
    });
}

/** Refuses a landing that is too high for any budget, or for the start beside it. */
function checkLanding(given: StartAndLanding): void {
  const found = landingProblem(given);
  if (found)
    throw new ConfigError({ option: "landAt", message: `${given.landAt} ${found.problem}.`, fix: found.fix });
}

/** Refuses shares of the window, kept free for answers and for counting errors, that leave nothing of it. */
function checkMargins(reserve: Threshold = 0, safety: Threshold = 0): void {
  const [forAnswer, forErrors] = [reserve, safety].map((value) => (value <= 1 ? value : 0)) as [
    number,
    number,
  ];
  if (forAnswer + forErrors < 1) return;
  const option = forErrors >= forAnswer ? "safety" : "reserve";
  const beside = option === "safety" ? ["reserve", forAnswer] : ["safety", forErrors];
  throw new ConfigError({
    option,
    message: `${option === "safety" ? forErrors : forAnswer} of the window${beside[1] === 0 ? "" : ` and \`${beside[0]}\` (${beside[1]})`} leaves nothing for a view.`,
    fix: `Lower \`${option}\`, or omit it for the default.`,
  });
}

const hasCap = (...given: (SummaryOptions | undefined)[]): boolean =>
  given.some((summary) => summary?.cap !== undefined);

/** An answer can't be longer than what is kept free for it: the cap gives way, unless the host set both. */
function summarySettings<M>(
  options: CompactorOptions<M>,
  profile: SummaryOptions | undefined,
  window: number | undefined,
  reserve: Threshold | undefined,
  warnings: Warning[],
): Settings["summary"] {
  const summary = { ...DEFAULTS.summary, ...profile, ...options.summary };
  const asksModel = options.summarizer !== undefined && options.summarizer !== "extractive";
  if (window === undefined || (reserve === undefined && !asksModel)) return summary;
  const free = reserve === undefined ? defaultReserve(window) : thresholdTokens(reserve, window);
  if (free >= summary.cap || free === 0) return summary;
  if (options.summary?.cap !== undefined && options.reserve !== undefined) {
    throw new ConfigError({
      option: "summary.cap",
      message: `a summary of ${summary.cap} tokens doesn't fit the output reserve of ${free}.`,
      fix: `Raise \`reserve\` to at least ${summary.cap}, or lower \`summary.cap\`.`,
    });
  }
  if (options.summary?.cap !== undefined)
    warnings.push({
      code: "summary-cap-lowered",
      message: `Summaries are capped at the output reserve of ${free} tokens instead of ${summary.cap}.`,
    });
  return { ...summary, cap: free };
}

/** Undefined where no count is given. */
function isCounted(tail: TailOptions | undefined): boolean | undefined {
  const { messages, turns, rounds, share, tokens } = tail ?? {};
  if (messages === undefined && turns === undefined && rounds === undefined) return undefined;
  return share === undefined && tokens === undefined;
}
