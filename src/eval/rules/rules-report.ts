import type { Block, Report } from "../report/report.ts";
import { groupsOf, type RuleCount, type RulesResult, type RulesRow } from "./result.ts";

/** The result for people: figures over all rules, by what tells rules apart, and which rules were lost. */
export function rulesReport(result: RulesResult): Report {
  const { conversations, counter, summarizer, missing } = result;
  const table = (columns: readonly string[], cells: (row: RulesRow) => readonly string[]): Block => ({
    is: "table",
    columns: ["", "size", "compactions", ...columns],
    rows: result.rows.map((row) => [row.arm, row.size, String(row.compactions), ...cells(row)]),
  });
  return {
    kind: "precis eval rules",
    title: "Do a user's rules survive compaction, word for word?",
    facts: [
      `${conversations} conversations`,
      `tokens by ${counter}`,
      ...(summarizer === undefined ? [] : [`summaries by ${summarizer}`]),
    ],
    blocks: [
      table(["kept, %", "rules", "stale", "failed"], (row) => [
        share(row),
        ...[row.rules, row.stale, row.failed].map(String),
      ]),
      {
        is: "note",
        text: "Kept: word for word. Stale: a rule stands there without the words that changed it or took it back. Failed: no view was possible at that size.",
      },
      ...groupsOf(result).flatMap(({ name, values }): Block[] => [
        { is: "heading", text: `Kept by ${name}, %` },
        table(values, (row) => values.map((value) => share(row.by[name]?.[value]))),
      ]),
      ...(missing.length === 0
        ? []
        : ([
            { is: "heading", text: "Rules that weren't kept everywhere" },
            {
              is: "list",
              lines: missing.map(
                ({ conversation, way, text, where }) =>
                  `${conversation} (${way}): ${text} – ${where.join("; ")}`,
              ),
            },
          ] as const)),
    ],
  };
}

const share = (count: RuleCount | undefined): string =>
  count === undefined || count.rules === 0 ? "–" : ((100 * count.kept) / count.rules).toFixed(1);
