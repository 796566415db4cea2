import type { TokenCounter } from "../core/types.ts";
import type { Estimate } from "./bootstrap.ts";
import { costOf, itemsOf } from "./contestants.ts";
import { measuresFor } from "./measures.ts";
import type { Block, Cell, Chart, Report } from "./report/report.ts";
import { createTallies, distinctRows, type RetentionDifference, type RetentionRow } from "./tally.ts";
import {
  type BudgetSpec,
  budgetLabel,
  type Contestant,
  type EvalCase,
  type EvalSet,
  type RetentionMeasure,
} from "./types.ts";

/** Who is compared on which conversations, and at which sizes. */
interface RetentionOptions {
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
interface SetResult {
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

/** The result for people: curves, and the figures behind them. */
export function retentionReport(result: RetentionResult): Report {
  const errors = result.sets.flatMap((set) =>
    set.rows.flatMap(({ label, budget, failed, error }) =>
      error === undefined ? [] : [`${set.id}, ${label}, ${budget}: ${failed} failed: ${error}`],
    ),
  );
  return {
    kind: "precis eval",
    title: "What a compacted conversation still knows",
    facts: [
      `tokens by ${result.counter}`,
      "share of what is needed later that is still in the view, in percent, with 95 % intervals over sessions on the page and with --intervals",
      ...(result.sampled ? ["a sample of the sessions: intervals are wide"] : []),
    ],
    blocks: [
      ...result.sets.flatMap(section),
      ...(errors.length > 0 ? [{ is: "list", lines: errors } as const] : []),
    ],
  };
}

function section(set: SetResult): Block[] {
  const { rows, same } = distinctRows(set.rows);
  const figures = (measures: RetentionRow["measures"]) => set.measures.map(({ id }) => cell(measures[id]));
  return [
    { is: "heading", text: set.id },
    {
      is: "note",
      text: [
        `${set.cases} case${set.cases === 1 ? "" : "s"} of ${set.sessions} session${set.sessions === 1 ? "" : "s"}, %`,
        ...same,
      ].join("; "),
    },
    ...set.measures.map((measure) => ({ is: "chart", ...chartOf(set, rows, measure) }) as const),
    {
      is: "table",
      columns: ["", "budget", ...set.measures.map(({ label }) => label), "tokens", "filled", "over"],
      rows: rows.flatMap(({ label, budget, measures, tokens, filled, over, otherwise, failed }) => [
        [
          label,
          budget,
          ...figures(measures),
          tokens.toFixed(0),
          `${(100 * filled).toFixed(0)} %`,
          String(over),
        ],
        ...(otherwise ? [[`  without ${failed} that failed`, budget, ...figures(otherwise)]] : []),
      ]),
    },
  ];
}

function chartOf(
  set: SetResult,
  rows: readonly RetentionRow[],
  { id, label, about, better }: SetResult["measures"][number],
): Chart {
  const budgets = [...new Set(set.rows.map(({ budget }) => budget))];
  const labels = [...new Set(rows.map((row) => row.label))];
  return {
    title: `${label}: ${about}${better === "lower" ? "; lower is better" : ""}`,
    lines: labels.map((one) => ({
      label: one,
      points: rows.flatMap((row) => {
        const value = row.label === one ? row.measures[id] : undefined;
        return value ? [[budgets.indexOf(row.budget), value.mean] as const] : [];
      }),
    })),
    ends: [budgets[0] ?? "", budgets.at(-1) ?? ""],
    top: 1,
    format: (share) => `${Math.round(100 * share)} %`,
  };
}

function cell(estimate: Estimate | undefined): Cell {
  if (!estimate) return "–";
  const [mean, low, high] = [estimate.mean, estimate.low, estimate.high].map((one) => (100 * one).toFixed(1));
  return { text: mean!, small: `[${low}, ${high}]` };
}
