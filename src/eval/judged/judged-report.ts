import type { Block, Cell, Report } from "../report/report.ts";
import { type Exam, inPieces } from "./exam.ts";
import type { ExamEstimate, JudgedResult, JudgedRow } from "./result.ts";

/** Arms that stand beside each other in a table, so that it fits 80 columns. */
const ARMS_BESIDE = 8;
const LONGEST_TYPE = 24;

/** The result for people: who knew how much, by type of question, and on the page question by question. */
export function judgedReport(result: JudgedResult, exams: readonly Exam[]): Report {
  const { reader, judge, summarizer, counter, trials, questions, types } = result;
  return {
    kind: "precis eval judged",
    title: "What readers know from each context",
    facts: [
      `${counted(questions, "question")} of ${counted(result.exams, "exam")}`,
      counted(trials, "trial"),
      `reader ${reader}`,
      `judge ${judge}`,
      ...(summarizer === undefined ? [] : [`summaries by ${summarizer}`]),
      `tokens by ${counter}`,
    ],
    blocks: [
      armTable(result),
      ...(types.length < 2 ? [] : typeTables(result)),
      { is: "note", text: notesOf(result) },
      ...exams.map((exam) => examTable(result, exam)),
    ],
  };
}

function armTable({ rows, against }: JudgedResult): Block {
  const base = rows.findIndex((row) => rowId(row) === against) + 1;
  return {
    is: "table",
    columns: ["arm", "size", "score, %", base > 0 ? `against ${base}` : "", "misled", "tokens"],
    rows: rows.map((row, index) => [
      `${index + 1} ${row.label}`,
      row.size,
      { text: percent(row.score.mean), small: range(row.score), fill: row.score.mean },
      row.difference === undefined
        ? "–"
        : { text: signed(row.difference.mean), small: range(row.difference) },
      percent(row.misleading),
      row.tokens.toFixed(0),
    ]),
  };
}

/** Types of questions as lines, arms as columns by their number. */
function typeTables({ rows, types }: JudgedResult): Block[] {
  const numbered = rows.map((row, index) => ({ row, number: String(index + 1) }));
  return inPieces(numbered, ARMS_BESIDE).map((some) => ({
    is: "table",
    columns: ["score by type, %", ...some.map(({ number }) => number)],
    rows: types.map((type) => [
      type.slice(0, LONGEST_TYPE),
      ...some.map(({ row: { byType } }) => (byType[type] === undefined ? "–" : known(byType[type].mean))),
    ]),
  }));
}

function examTable({ rows, marks }: JudgedResult, exam: Exam): Block {
  const own = Map.groupBy(
    marks.filter((mark) => mark.exam === exam.id),
    ({ n, row }) => `${n} ${row}`,
  );
  const lines = exam.items.map(({ n, type, question, expected }) => [
    { text: question, small: `${type}. Expected: ${expected}` },
    ...rows.map((row) => {
      const given = own.get(`${n} ${rowId(row)}`);
      if (given === undefined) return "–";
      const mean = given.reduce((sum, { score }) => sum + score, 0) / given.length;
      return known(mean, given.some(({ misleading }) => misleading) ? " †" : "");
    }),
  ]);
  return {
    is: "fold",
    title: exam.id,
    facts: [
      counted(exam.items.length, "question"),
      "the mean over trials; a dagger stands for an answer that misleads",
    ],
    blocks: [
      { is: "table", columns: ["", ...rows.map(({ label, size }) => `${label}, ${size}`)], rows: lines },
    ],
  };
}

/** What the figures mean, and what must be known to read them. */
function notesOf({ against, trials, rows }: JudgedResult): string {
  const listed = (of: (row: JudgedRow) => number): string =>
    rows.flatMap((row, index) => (of(row) === 0 ? [] : [`${index + 1} (${of(row)})`])).join(", ");
  const impossible = listed((row) => row.impossible);
  const unasked = listed((row) => row.unasked);
  return [
    "In brackets: 95 % intervals over exams and their questions.",
    ...(against === undefined ? [] : ["Differences are paired by question."]),
    "misled: share of answers that state something false, in %.",
    ...(impossible === "" ? [] : [`What must be kept doesn't fit, and counts 0, in (exams): ${impossible}.`]),
    ...(unasked === "" ? [] : [`The model had no room to be asked in (exams): ${unasked}.`]),
    ...(trials < 3 ? ["With fewer than 3 trials, small differences are chance."] : []),
  ].join(" ");
}

/** How a row is called in `against` and in the marks. */
const rowId = ({ arm, size }: JudgedRow): string => `${arm}@${size}`;

const known = (share: number, mark = ""): Cell => ({ text: `${percent(share)}${mark}`, fill: share });
const percent = (share: number): string => (100 * share).toFixed(1);
const signed = (share: number): string => `${share >= 0 ? "+" : "−"}${percent(Math.abs(share))}`;
const whole = (share: number): string => (100 * share).toFixed(0).replace("-", "−").replace("−0", "0");
const range = ({ low, high }: ExamEstimate): string => `[${whole(low)}, ${whole(high)}]`;
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
