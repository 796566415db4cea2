import { type Block, reportPage } from "../report/report.ts";
import { alignColumns } from "../table.ts";
import { groupsOf, type RuleCount, type RulesResult, type RulesRow } from "./result.ts";

/** Rules that a table for people names, at most. A page and JSON have all of them. */
const NAMED = 12;

const share = (count: RuleCount | undefined): string =>
  count === undefined || count.rules === 0 ? "–" : ((100 * count.kept) / count.rules).toFixed(1);

/** What stands at the head of each row, and its figures over all rules. */
const HEAD = ["", "size", "compactions", "kept, %", "rules", "stale", "failed"] as const;
const headCells = (row: RulesRow): string[] => [
  row.arm,
  row.size,
  String(row.compactions),
  share(row),
  String(row.rules),
  String(row.stale),
  String(row.failed),
];
const groupCells = (row: RulesRow, name: string, values: readonly string[]): string[] => [
  row.arm,
  row.size,
  String(row.compactions),
  ...values.map((value) => share(row.by[name]?.[value])),
];

function note({ conversations, counter, summarizer }: RulesResult): string {
  const who = summarizer === undefined ? "" : ` Summaries by ${summarizer}.`;
  return `${conversations} conversations. Tokens by ${counter}.${who} Kept: word for word. Stale: shown without the words that changed it or took it back.`;
}

/** The result for people. */
export function rulesTable(result: RulesResult): string {
  const { rows, missing } = result;
  const groups = groupsOf(result).map(
    ({ name, values }) =>
      `Kept by ${name}, %\n${alignColumns([["", "size", "compactions", ...values], ...rows.map((row) => groupCells(row, name, values))])}`,
  );
  const named = missing
    .slice(0, NAMED)
    .map(
      ({ conversation, way, text, where }) => `- ${conversation} (${way}): ${text}\n  ${where.join("; ")}`,
    );
  const more =
    missing.length > NAMED ? [`… and ${missing.length - NAMED} more; --json has all of them.`] : [];
  return [
    note(result),
    alignColumns([HEAD, ...rows.map(headCells)]),
    ...groups,
    ...(missing.length === 0 ? [] : [["Rules that weren't kept everywhere:", ...named, ...more].join("\n")]),
  ].join("\n\n");
}

/** The result as a page. */
export function rulesHtml(result: RulesResult): string {
  const table = (columns: readonly string[], cells: (row: RulesRow) => string[]): Block => ({
    is: "table",
    columns,
    rows: result.rows.map(cells),
  });
  return reportPage({
    kind: "precis eval rules",
    title: "Do a user's rules survive compaction, word for word?",
    facts: [
      `${result.conversations} conversations`,
      `tokens by ${result.counter}`,
      ...(result.summarizer === undefined ? [] : [`summaries by ${result.summarizer}`]),
    ],
    blocks: [
      table(HEAD, headCells),
      {
        is: "note",
        text: "Stale: a rule stands there without the words that changed it or took it back. Failed: no view was possible at that size.",
      },
      ...groupsOf(result).flatMap(({ name, values }): Block[] => [
        { is: "heading", text: `Kept by ${name}, %` },
        table(["", "size", "compactions", ...values], (row) => groupCells(row, name, values)),
      ]),
      ...result.missing.map(
        ({ conversation, way, text, where }): Block => ({
          is: "fold",
          title: text,
          facts: [`not kept everywhere: ${conversation}, ${way}`],
          blocks: [{ is: "list", lines: where }],
        }),
      ),
    ],
  });
}
