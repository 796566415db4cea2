import type { TokenCounter } from "../core/types.ts";
import { type Estimate, estimate, pairedDifference, type SessionObservation } from "./bootstrap.ts";
import { costOf, itemsOf } from "./contestants/packing.ts";
import { recorded } from "./contestants/recorded.ts";
import { type BudgetSpec, budgetLabel, type EvalSet } from "./eval-set.ts";
import { measuresFor } from "./measures/index.ts";
import { unescapeNewlines } from "./message-text.ts";
import { scoredView } from "./scored-view.ts";
import type { Contestant, EvalCase, RetentionMeasure } from "./types.ts";

/** What a run needs. */
export interface RetentionOptions {
  readonly sets: readonly EvalSet[];
  readonly contestants: readonly Contestant[];
  readonly counter: TokenCounter;
  /** Shares of the tokens that may be compacted. */
  readonly shares: readonly number[];
  /** 1 for all sessions. */
  readonly everyNth?: number;
  readonly onProgress?: (set: string, cases: number) => void;
}

/** One contestant on one set at one budget. */
export interface RetentionRow {
  readonly contestant: string;
  readonly label: string;
  readonly budget: string;
  /** Mean share of the budget that the views fill. */
  readonly filled: number;
  /** Views that are larger than their budget. */
  readonly over: number;
  /** Cases on which it threw; scored as an empty view. */
  readonly failed: number;
  readonly error?: string;
  readonly measures: Readonly<Record<string, Estimate>>;
}

/** How far the first contestant is above another, session by session. */
export interface RetentionDifference {
  readonly budget: string;
  readonly contestant: string;
  readonly against: string;
  readonly measures: Readonly<Record<string, Estimate>>;
}

export interface SetResult {
  readonly id: string;
  readonly type: EvalCase["type"];
  readonly cases: number;
  readonly sessions: number;
  readonly measures: readonly {
    readonly id: string;
    readonly label: string;
    readonly better: "higher" | "lower";
  }[];
  readonly rows: readonly RetentionRow[];
  readonly differences: readonly RetentionDifference[];
}

export interface RetentionResult {
  readonly counter: string;
  readonly sampled: boolean;
  readonly sets: readonly SetResult[];
}

/** What one contestant left at one budget, before it is summed up. */
interface Tally {
  readonly contestant: Contestant;
  readonly budget: string;
  readonly observations: Map<string, SessionObservation[]>;
  filled: number;
  views: number;
  over: number;
  failed: number;
  error: string | undefined;
}

/** Gives every case to every contestant at every budget, and scores what comes back. */
export async function runRetention(options: RetentionOptions): Promise<RetentionResult> {
  const sets: SetResult[] = [];
  for (const set of options.sets) {
    const result = await runSet(set, options);
    if (result.cases > 0) sets.push(result);
  }
  return { counter: options.counter.id, sampled: (options.everyNth ?? 1) > 1, sets };
}

async function runSet(set: EvalSet, options: RetentionOptions): Promise<SetResult> {
  const measures = measuresFor(set.type);
  const budgets: BudgetSpec[] =
    set.budgets === "recorded"
      ? [{ type: "recorded" }]
      : options.shares.map((share) => ({ type: "share", share }));
  const tallies = new Map<string, Tally>();
  const sessions = new Set<string>();
  let cases = 0;
  for (const evalCase of set.cases(options.everyNth ?? 1)) {
    cases++;
    sessions.add(evalCase.session);
    for (const budget of budgets) await runCase(evalCase, budget, options, measures, tallies);
    options.onProgress?.(set.id, cases);
  }
  const list = [...tallies.values()];
  return {
    id: set.id,
    type: set.type,
    cases,
    sessions: sessions.size,
    measures: measures
      .filter((measure) => list.some((tally) => tally.observations.has(measure.id)))
      .map(({ id, label, better }) => ({ id, label, better })),
    rows: list.map(rowOf),
    differences: differencesOf(list),
  };
}

async function runCase(
  evalCase: EvalCase,
  spec: BudgetSpec,
  options: RetentionOptions,
  measures: readonly RetentionMeasure[],
  tallies: Map<string, Tally>,
): Promise<void> {
  const { messages, from, to } = evalCase;
  const count = options.counter.count;
  const budget = budgetOf(evalCase, spec, options.counter);
  if (budget === undefined) return;
  const contestants =
    spec.type === "recorded" ? [...options.contestants, recorded(evalCase)] : options.contestants;
  for (const contestant of contestants) {
    const tally = tallyOf(tallies, contestant, budgetLabel(spec));
    let text = "";
    try {
      text = await contestant.view({ messages, from, to, budget, count });
    } catch (error) {
      tally.failed++;
      tally.error ??= error instanceof Error ? error.message : String(error);
    }
    const used = count(text);
    tally.views++;
    tally.filled += used / budget;
    if (used > budget) tally.over++;
    // Probes are prose: there a backslash and an n are what somebody wrote.
    const view = scoredView(evalCase.type === "agent" ? unescapeNewlines(text) : text);
    for (const measure of measures) {
      const observation = measure.observe(evalCase, view);
      if (!observation) continue;
      const list = tally.observations.get(measure.id) ?? [];
      list.push({ ...observation, session: evalCase.session });
      tally.observations.set(measure.id, list);
    }
  }
}

function budgetOf(evalCase: EvalCase, spec: BudgetSpec, counter: TokenCounter): number | undefined {
  const { messages, from, to } = evalCase;
  if (spec.type === "recorded") {
    const text = evalCase.type === "agent" ? evalCase.recorded : undefined;
    return text === undefined ? undefined : costOf(text, counter.count);
  }
  const items = itemsOf({ messages, from, to, budget: 0, count: counter.count });
  return Math.floor(items.reduce((sum, item) => sum + item.cost, 0) * spec.share);
}

function tallyOf(tallies: Map<string, Tally>, contestant: Contestant, budget: string): Tally {
  const key = `${budget} ${contestant.id}`;
  let tally = tallies.get(key);
  if (!tally) {
    tally = {
      contestant,
      budget,
      observations: new Map(),
      filled: 0,
      views: 0,
      over: 0,
      failed: 0,
      error: undefined,
    };
    tallies.set(key, tally);
  }
  return tally;
}

function rowOf(tally: Tally): RetentionRow {
  return {
    contestant: tally.contestant.id,
    label: tally.contestant.label,
    budget: tally.budget,
    filled: tally.filled / tally.views,
    over: tally.over,
    failed: tally.failed,
    ...(tally.error !== undefined && { error: tally.error }),
    measures: estimates(tally.observations, (list) => estimate(list)),
  };
}

function differencesOf(tallies: readonly Tally[]): RetentionDifference[] {
  const first = tallies[0]?.contestant.id;
  return tallies
    .filter((tally) => tally.contestant.id !== first)
    .flatMap((other) => {
      const own = tallies.find((tally) => tally.contestant.id === first && tally.budget === other.budget);
      if (!own) return [];
      const measures = estimates(own.observations, (list, id) =>
        pairedDifference(list, other.observations.get(id) ?? []),
      );
      return [
        { budget: other.budget, contestant: own.contestant.id, against: other.contestant.id, measures },
      ];
    });
}

function estimates(
  observations: ReadonlyMap<string, SessionObservation[]>,
  make: (list: readonly SessionObservation[], id: string) => Estimate | undefined,
): Record<string, Estimate> {
  const result: Record<string, Estimate> = {};
  for (const [id, list] of observations) {
    const made = make(list, id);
    if (made) result[id] = made;
  }
  return result;
}
