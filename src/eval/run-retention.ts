import type { TokenCounter } from "../core/types.ts";
import { costOf, itemsOf } from "./contestants/packing.ts";
import { type BudgetSpec, budgetLabel, type EvalSet } from "./eval-set.ts";
import { measuresFor } from "./measures.ts";
import { createTallies, type RetentionDifference, type RetentionRow } from "./tally.ts";
import type { Contestant, EvalCase, RetentionMeasure } from "./types.ts";

/** Who is compared on which conversations, and at which sizes. */
export interface RetentionOptions {
  readonly sets: readonly EvalSet[];
  /** The first one is compared with each of the others. */
  readonly contestants: readonly Contestant[];
  readonly counter: TokenCounter;
  /** Shares of the tokens that may be compacted. */
  readonly shares: readonly number[];
  /** Only every n-th session takes part; 1 for all of them. */
  readonly everyNth?: number;
  readonly onProgress?: (set: string, cases: number) => void;
}

/** Every contestant on one set. */
export interface SetResult {
  readonly id: string;
  readonly type: EvalCase["type"];
  readonly cases: number;
  readonly sessions: number;
  readonly measures: readonly Pick<RetentionMeasure, "id" | "label" | "about" | "better">[];
  readonly rows: readonly RetentionRow[];
  readonly differences: readonly RetentionDifference[];
}

/** What every contestant kept on every set. */
export interface RetentionResult {
  /** How tokens were counted. */
  readonly counter: string;
  /** Only a part of the sessions was used. */
  readonly sampled: boolean;
  readonly sets: readonly SetResult[];
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
  const { contestants, counter, shares, everyNth = 1, onProgress } = options;
  const tallies = createTallies(measuresFor(set.type));
  const budgets: BudgetSpec[] =
    set.budgets === "recorded" ? [{ type: "recorded" }] : shares.map((share) => ({ type: "share", share }));
  const sessions = new Set<string>();
  let cases = 0;
  for (const evalCase of set.cases(everyNth)) {
    cases++;
    sessions.add(evalCase.session);
    for (const spec of budgets) {
      const budget = budgetOf(evalCase, spec, counter);
      if (budget === undefined) continue;
      const everyone = spec.type === "recorded" ? [...contestants, recorded(evalCase)] : contestants;
      for (const contestant of everyone) {
        const delivered = await deliver(contestant, evalCase, budget, counter);
        tallies.add(contestant, budgetLabel(spec), evalCase, delivered);
      }
    }
    onProgress?.(set.id, cases);
  }
  return {
    id: set.id,
    type: set.type,
    cases,
    sessions: sessions.size,
    measures: tallies.measures(),
    rows: tallies.rows(),
    differences: tallies.differences(),
  };
}

/** The contestant's view of a case; an empty one with the error where it threw. */
async function deliver(
  contestant: Contestant,
  { messages, from, to }: EvalCase,
  budget: number,
  counter: TokenCounter,
): Promise<{ text: string; tokens: number; budget: number; error?: unknown }> {
  try {
    const text = await contestant.view({ messages, from, to, budget, count: counter.count });
    return { text, tokens: counter.count(text), budget };
  } catch (error) {
    return { text: "", tokens: 0, budget, error };
  }
}

function tokensOf({ messages, from, to }: EvalCase, counter: TokenCounter): number {
  const items = itemsOf({ messages, from, to, budget: 0, count: counter.count });
  return items.reduce((sum, item) => sum + item.cost, 0);
}

/** The summary that the agent's own compaction wrote at this point of the session. */
function recorded(evalCase: EvalCase): Contestant {
  return {
    id: "recorded",
    label: "recorded summary",
    view: () => (evalCase.type === "agent" ? (evalCase.recorded ?? "") : ""),
  };
}

function budgetOf(evalCase: EvalCase, spec: BudgetSpec, counter: TokenCounter): number | undefined {
  if (spec.type === "share") return Math.floor(tokensOf(evalCase, counter) * spec.share);
  const text = evalCase.type === "agent" ? evalCase.recorded : undefined;
  return text === undefined ? undefined : costOf(text, counter.count);
}
