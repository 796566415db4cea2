import type { Prices, StrategyName } from "../../core/types.ts";
import { STRATEGY_WORDS } from "../../core/words.ts";
import { bestTrade, survivingShare } from "../../eval/replay/best-trade.ts";
import type { Replay } from "../../eval/replay/simulate.ts";
import { type ReplayTotals, totalsOf } from "../../eval/replay/totals.ts";
import type { Block } from "../../eval/report/report.ts";
import { formatCount, formatDollars, formatShare, formatShort } from "../format.ts";

/** Strategies that shorten, in the order in which they are shown. */
export const COMPARED = [
  "summarize-oldest",
  "summarize-middle",
  "tool-summaries",
  "drop-middle",
  "truncate-oldest",
  "summarize-and-drop",
  "drop-all",
] as const satisfies readonly StrategyName[];

/** One line of the comparison: a strategy, or sending everything. */
export interface Compared {
  readonly strategy: StrategyName | "everything";
  readonly label: string;
  readonly compactions: number;
  /** Requests that the strategy couldn't make fit; for "everything", those that no longer fit the window. */
  readonly impossible: number;
  readonly sent: number;
  /** Share of the prompt tokens that a provider can read from its cache. */
  readonly unchanged: number;
  /** US dollars, cache reads and writes counted. */
  readonly cost: number;
  /** Share of the names, paths, numbers and rules that matter which the last view still says. */
  readonly survives: number;
  /** Share of a judge's questions that a reader of the last view answers right, where one was asked. */
  readonly knows?: number;
}

/** What the session would have cost under each strategy, and without any. */
export function comparedOf(
  runs: readonly { readonly strategy: StrategyName; readonly replay: Replay }[],
  prices: Prices | undefined,
  judged: ReadonlyMap<StrategyName, number> = new Map(),
): Compared[] {
  const lines = runs.map(({ strategy, replay }): Compared => {
    const totals = totalsOf(replay, prices);
    const knows = judged.get(strategy);
    return {
      strategy,
      label: STRATEGY_WORDS[strategy].label,
      compactions: totals.compactions,
      impossible: replay.impossible.length,
      sent: totals.sent,
      unchanged: totals.unchanged,
      cost: totals.cost?.with.total ?? 0,
      survives: survivingShare(totals.survival),
      ...(knows !== undefined && { knows }),
    };
  });
  const [first] = runs;
  return first ? [everything(first.replay, totalsOf(first.replay, prices)), ...lines] : [];
}

function everything({ requests }: Replay, totals: ReplayTotals): Compared {
  return {
    strategy: "everything",
    label: "Send everything",
    compactions: 0,
    impossible: requests.filter((request) => request.full > request.budget).length,
    sent: totals.sentWithout,
    unchanged: totals.unchangedWithout,
    cost: totals.cost?.without.total ?? 0,
    survives: 1,
  };
}

/** By a judge where one was asked, otherwise by the product's own measure. */
const keptBy = ({ knows, survives }: Compared): number => knows ?? survives;

/** The strategy that keeps nearly as much as any and costs least; sending everything isn't one. */
const bestOf = (lines: readonly Compared[]): Compared | undefined =>
  bestTrade(
    lines
      .filter(({ strategy }) => strategy !== "everything")
      .map((line) => ({
        line,
        keeps: keptBy(line),
        costs: line.cost,
        isPossible: line.impossible === 0,
        strategy: line.strategy,
      })),
  )?.line;

function bestWhy(lines: readonly Compared[]): string | undefined {
  const best = bestOf(lines);
  if (best === undefined) return undefined;
  const most = Math.max(...lines.flatMap((line) => (line.strategy === "everything" ? [] : [keptBy(line)])));
  const what =
    best.knows === undefined
      ? `It keeps ${formatShare(best.survives)} of what matters (the most that any keeps is ${formatShare(most)}), and none that keeps nearly as much`
      : `Its reader knows ${formatShare(best.knows)} (the most that any knows is ${formatShare(most)}), and none whose reader knows nearly as much`;
  return `Best trade: ${best.label} (${best.strategy}). ${what} costs clearly less (${formatDollars(best.cost)}).`;
}

const knowsText = ({ knows }: Compared): string => (knows === undefined ? "–" : formatShare(knows));

/** The columns of the comparison. */
const columnsOf = (
  lines: readonly Compared[],
): readonly (readonly [string, (line: Compared) => string])[] => [
  ...(lines.some(({ knows }) => knows !== undefined) ? [["knows", knowsText] as const] : []),
  ["survives", ({ survives }) => formatShare(survives)],
  ["sent", ({ sent }) => formatShort(sent)],
  ["cached", ({ unchanged }) => formatShare(unchanged)],
  ["cost", ({ cost }) => formatDollars(cost)],
];

function notes(lines: readonly Compared[]): string[] {
  return lines
    .filter(({ impossible }) => impossible > 0)
    .map(({ strategy, impossible }) =>
      strategy === "everything"
        ? `everything: ${formatCount(impossible)} requests no longer fit the window`
        : `${strategy}: ${formatCount(impossible)} requests can't be made to fit`,
    );
}

/** The comparison as a table, with a bar for each cost. */
export function comparedBlocks(lines: readonly Compared[], chosen: string): Block[] {
  if (lines.length === 0) return [];
  const most = Math.max(...lines.map(({ cost }) => cost)) || 1;
  const best = bestOf(lines);
  const why = bestWhy(lines);
  const shown = columnsOf(lines);
  const rows = lines.map((line) => [
    {
      text: `${line.strategy === chosen ? "▸ " : ""}${line.strategy}${line === best ? " (best trade)" : ""}`,
      small: line.label,
    },
    ...shown.slice(0, -1).map(([, text]) => text(line)),
    { text: formatDollars(line.cost), fill: line.cost / most },
  ]);
  return [
    { is: "heading", text: "What survives, and what it would have cost" },
    { is: "table", columns: ["strategy", ...shown.map(([title]) => title)], rows },
    ...[...(why === undefined ? [] : [why]), ...notes(lines)].map((text) => ({ is: "note", text }) as const),
  ];
}
