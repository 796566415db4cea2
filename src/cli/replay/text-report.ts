import type { StrategyName } from "../../core/types.ts";
import { REASON_WORDS, RUNG_WORDS, STRATEGY_WORDS } from "../../core/words.ts";
import type { Replay, ReplayCompaction } from "../../eval/replay/simulate.ts";
import type { ReplayTotals } from "../../eval/replay/totals.ts";
import { netWords } from "../../tokens/receipt-words.ts";
import { formatChange, formatCount, formatDollars, formatShare, formatShort, NUMBERS } from "../format.ts";
import type { Look, Paint } from "../paint.ts";
import { wrap } from "../wrap.ts";
import { chartLegend, pressureChart } from "./chart.ts";

/** Facts about a replay that both reports show. */
export interface ReplayFacts {
  readonly file: string;
  readonly source: string;
  readonly dialect: string;
  readonly messages: number;
  /** Of the whole transcript, the last answer and a system prompt that stands apart included. */
  readonly tokens: number;
  readonly window: number;
  readonly strategy: StrategyName;
  readonly profile: string;
  /** The one that is made for conversations of this kind, where nobody chose. */
  readonly suggested?: string;
  /** The model whose prices are used. */
  readonly pricesOf?: string;
  readonly warnings: readonly string[];
}

/** Below this, the note on a total stands on a line of its own. */
const NOTES_FROM = 76;
/** Between columns, and before what belongs to the line above. */
const GAP = "  ";

export function textReport(facts: ReplayFacts, replay: Replay, totals: ReplayTotals, options: Look): string {
  const { columns, paint } = options;
  const head = [
    paint("strong", facts.file),
    ...wrap(
      `${facts.source}, ${formatCount(facts.messages)} messages, ${formatCount(facts.tokens)} tokens`,
      columns,
    ),
    ...wrap(
      `window ${formatShort(facts.window)}, budget ${formatCount(totals.budget)}, profile ${facts.profile}, ${STRATEGY_WORDS[facts.strategy].label} (${facts.strategy})`,
      columns,
    ).map((line) => paint("dim", line)),
    ...(facts.suggested === undefined
      ? []
      : wrap(`For a conversation like this one, --profile ${facts.suggested} is made.`, columns)),
  ];
  if (totals.requests === 0)
    return `${[...head, "", "There is no answer of a model in it, so there is no request to replay."].join("\n")}\n`;
  return `${[
    ...head,
    "",
    ...pressureChart(replay.requests, options),
    ...wrap(chartLegend(replay.requests), columns).map((line) => paint("dim", line)),
    "",
    ...totalLines(facts, totals, columns, paint),
    ...compactionLines(replay.compactions, columns, paint),
  ].join("\n")}\n`;
}

function totalLines(facts: ReplayFacts, totals: ReplayTotals, columns: number, paint: Paint): string[] {
  const tone = (value: number, base: number) => (value <= base ? ("good" as const) : ("bad" as const));
  const rows: [string, string, string][] = [
    [
      "requests",
      formatCount(totals.requests),
      totals.cold > 0 ? `${totals.cold} after the cache had expired` : "",
    ],
    [
      "tokens sent",
      formatShort(totals.sent),
      `${paint(tone(totals.sent, totals.sentWithout), formatChange(totals.sent, totals.sentWithout))}, without precis ${formatShort(totals.sentWithout)}`,
    ],
    [
      "unchanged",
      formatShare(totals.unchanged),
      "of it the same prefix as in the request before (cacheable)",
    ],
    [
      "largest view",
      formatCount(totals.largest),
      `${formatShare(totals.largest / totals.budget)} of the budget`,
    ],
  ];
  const { survival } = totals;
  if (survival !== undefined && survival.items > 0)
    rows.push([
      "survives",
      formatShare(survival.kept / survival.items),
      `${formatCount(survival.kept)} of ${formatCount(survival.items)} names, paths, numbers and rules that matter, in the last view`,
    ]);
  if (totals.cost !== undefined)
    rows.push([
      "cost",
      formatDollars(totals.cost.with.total),
      `${paint(tone(totals.cost.with.total, totals.cost.without.total), formatChange(totals.cost.with.total, totals.cost.without.total))}, without precis ${formatDollars(totals.cost.without.total)} (${facts.pricesOf ?? "prices"}, with cache)`,
    ]);
  if (totals.receipts !== undefined)
    rows.push(["net", formatDollars(Math.abs(totals.receipts.net)), netWords(totals.receipts, NUMBERS)]);
  if (totals.firstTooLong !== undefined)
    rows.push(["without precis", `request ${totals.firstTooLong + 1}`, "is the first that no longer fits"]);
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows.flatMap(([name, value, note]) => {
    const line = `${name.padEnd(nameWidth)}  ${paint("strong", value.padStart(valueWidth))}`;
    if (note === "") return [line];
    if (columns < NOTES_FROM)
      return [line, ...wrap(note, columns - GAP.length).map((text) => `${GAP}${text}`)];
    const start = nameWidth + valueWidth + 2 * GAP.length;
    return wrap(note, columns - start).map((text, at) =>
      at === 0 ? `${line}${GAP}${text}` : `${" ".repeat(start)}${text}`,
    );
  });
}

/** A compaction where the table is too wide for the terminal. */
function compactionParagraph(
  cell: Readonly<Record<string, string>>,
  columns: number,
  paint: Paint,
): string[] {
  const lines = (text: string) => wrap(text, columns - GAP.length).map((line) => `${GAP}${line}`);
  return [
    ...wrap(`${paint("accent", "▲")} after message ${cell["after"]}, because ${cell["because"]}`, columns, 2),
    ...lines(`${cell["how"]}: ${cell["tokens"]} tokens`),
    ...lines(
      `kept ${cell["kept"]}, shortened ${cell["shortened"]}, summarised ${cell["summarised"]}, left out ${cell["left out"]}`,
    ).map((line) => paint("dim", line)),
  ];
}

function compactionLines(compactions: readonly ReplayCompaction[], columns: number, paint: Paint): string[] {
  if (compactions.length === 0) return ["", "Nothing had to be compacted."];
  const cells = compactions.map((compaction) => ({
    after: formatCount(compaction.at),
    because: compaction.reason === undefined ? "" : REASON_WORDS[compaction.reason],
    how: compaction.rung === undefined ? "" : RUNG_WORDS[compaction.rung],
    tokens: `${formatShort(compaction.tokens.before)} → ${formatShort(compaction.tokens.after)}`,
    kept: formatCount(compaction.counts.kept),
    shortened: formatCount(compaction.counts.edited),
    summarised: formatCount(compaction.counts.covered),
    "left out": formatCount(compaction.counts.dropped),
  }));
  const names = Object.keys(cells[0]!) as (keyof (typeof cells)[number])[];
  const left: ReadonlySet<string> = new Set(["because", "how"]);
  const widths = names.map((name) => Math.max(name.length, ...cells.map((cell) => cell[name].length)));
  if (widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) > columns)
    return ["", ...cells.flatMap((cell) => compactionParagraph(cell, columns, paint))];
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) =>
        left.has(names[index]!) ? text.padEnd(widths[index]!) : text.padStart(widths[index]!),
      )
      .join(GAP);
  return ["", paint("dim", line(names)), ...cells.map((cell) => line(names.map((name) => cell[name])))];
}
