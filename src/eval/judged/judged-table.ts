import { alignColumns } from "../table.ts";
import { inPieces } from "./in-pieces.ts";
import { counted, judgedNotes, percent, range, rowId, signed } from "./judged-words.ts";
import type { JudgedResult } from "./result.ts";

/** Rows that stand beside each other in the table of types, so that it fits 80 columns. */
const ROWS_BESIDE = 8;
const LONGEST_TYPE = 24;

/** The result for people: one line for each arm, then each type of question. */
export function judgedTable(result: JudgedResult): string {
  return [headOf(result), armTable(result), ...typeTables(result), wrapped(judgedNotes(result))].join("\n\n");
}

function headOf({ questions, exams, trials, reader, judge, summarizer, counter }: JudgedResult): string {
  return [
    `${counted(questions, "question")} of ${counted(exams, "exam")}, ${counted(trials, "trial")}; tokens by ${counter}`,
    `reader ${reader}`,
    `judge ${judge}`,
    ...(summarizer === undefined ? [] : [`summaries by ${summarizer}`]),
  ].join("\n");
}

function armTable({ rows, against }: JudgedResult): string {
  const base = rows.findIndex((row) => rowId(row) === against) + 1;
  const header = ["", "arm", "size", "score, %", base > 0 ? `against ${base}` : "", "misled", "tokens"];
  const lines = rows.map((row, index) => [
    String(index + 1),
    row.label,
    row.size,
    `${percent(row.score.mean)} ${range(row.score)}`,
    row.difference === undefined ? "–" : `${signed(row.difference.mean)} ${range(row.difference)}`,
    `${percent(row.misleading)}`,
    row.tokens.toFixed(0),
  ]);
  return alignColumns(
    [header, ...lines].map(([number = "", arm = "", ...rest]) => [`${number.padStart(2)} ${arm}`, ...rest]),
  );
}

/** Types of questions as lines, arms as columns by their number. */
function typeTables({ rows, types }: JudgedResult): string[] {
  if (types.length < 2) return [];
  const numbered = rows.map((row, index) => ({ row, number: index + 1 }));
  return inPieces(numbered, ROWS_BESIDE).map((some) =>
    alignColumns([
      ["score by type, %", ...some.map(({ number }) => String(number))],
      ...types.map((type) => [
        type.slice(0, LONGEST_TYPE),
        ...some.map(({ row }) => {
          const estimate = row.byType[type];
          return estimate === undefined ? "–" : percent(estimate.mean);
        }),
      ]),
    ]),
  );
}

/** In lines of 80 columns. */
const wrapped = (text: string): string => text.replace(/(.{1,79})(?: |$)/g, "$1\n").trimEnd();
