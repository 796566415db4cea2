import type { Estimate } from "./bootstrap.ts";
import type { RetentionResult, SetResult } from "./run-retention.ts";
import { distinctRows, type RetentionRow } from "./tally.ts";

function percent(estimate: Estimate | undefined): string {
  return estimate ? (100 * estimate.mean).toFixed(1) : "–";
}

/** A mean with its interval: `45.9 [41.7, 50.4]`. */
function percentWithInterval(estimate: Estimate | undefined): string {
  if (!estimate) return "–";
  const { mean, low, high } = estimate;
  return `${(100 * mean).toFixed(1)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

/** Columns padded to their widest cell; the first one to the left, the others to the right. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One set as a table: a line per contestant and budget, a column per measure. */
function setTable(set: SetResult, options: { readonly intervals: boolean }): string {
  const cell = options.intervals ? percentWithInterval : percent;
  const header = ["", "budget", ...set.measures.map((measure) => measure.label), "tokens", "filled", "over"];
  const cells = (measures: RetentionRow["measures"]) =>
    set.measures.map((measure) => cell(measures[measure.id]));
  const { rows, same } = distinctRows(set.rows);
  const lines = rows.flatMap((row) => [
    [
      row.label,
      row.budget,
      ...cells(row.measures),
      row.tokens.toFixed(0),
      `${(100 * row.filled).toFixed(0)} %`,
      String(row.over),
    ],
    ...(row.otherwise ? [[`  without ${row.failed} that failed`, row.budget, ...cells(row.otherwise)]] : []),
  ]);
  const title = `${set.id}: ${set.cases} cases of ${set.sessions} sessions, %`;
  return [title, alignColumns([header, ...lines]), ...same].join("\n");
}

/** Every set as a table, with what the reader must know first. */
export function retentionTable(result: RetentionResult, options: { readonly intervals: boolean }): string {
  const note = `Tokens by ${result.counter}.${result.sampled ? " A sample: intervals are wide." : ""}${options.intervals ? " In brackets: 95 % interval over sessions." : ""}`;
  const errors = result.sets.flatMap((set) =>
    set.rows
      .filter((row) => row.error !== undefined)
      .map((row) => `${set.id}, ${row.label}, ${row.budget}: ${row.failed} failed: ${row.error}`),
  );
  return [note, ...result.sets.map((set) => setTable(set, options)), ...errors].join("\n\n");
}
