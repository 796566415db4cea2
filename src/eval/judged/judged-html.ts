import { type Block, type Cell, reportPage } from "../report/report.ts";
import type { Exam } from "./exam.ts";
import type { ExamEstimate } from "./exam-estimate.ts";
import { counted, judgedNotes, percent, range, rowId, signed } from "./judged-words.ts";
import type { JudgedResult, JudgedRow } from "./result.ts";

/** The result as a page: who knew how much, by type of question, and question by question. */
export function judgedHtml(result: JudgedResult, exams: readonly Exam[]): string {
  const { reader, judge, summarizer, counter, trials, questions } = result;
  return reportPage({
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
      { is: "note", text: judgedNotes(result) },
      ...(result.types.length < 2 ? [] : typeTable(result)),
      { is: "heading", text: "Question by question" },
      { is: "note", text: "The mean over trials. A dagger stands for an answer that misleads." },
      ...exams.map((exam) => examTable(result, exam)),
    ],
  });
}

function armTable({ rows, against }: JudgedResult): Block {
  const base = rows.find((row) => rowId(row) === against);
  return {
    is: "table",
    columns: ["arm", "size", "score, %", base ? `against ${base.label}` : "", "misled, %", "tokens"],
    rows: rows.map((row, index) => [
      `${index + 1} ${row.label}`,
      row.size,
      { ...withRange(percent(row.score.mean), row.score), fill: row.score.mean },
      row.difference === undefined ? "–" : withRange(signed(row.difference.mean), row.difference),
      percent(row.misleading),
      row.tokens.toFixed(0),
    ]),
  };
}

const withRange = (text: string, estimate: ExamEstimate) => ({ text, small: range(estimate) });

const named = ({ label, size }: JudgedRow): string => `${label}, ${size}`;
const known = (share: number, mark = ""): Cell => ({ text: `${percent(share)}${mark}`, fill: share });

function typeTable({ rows, types }: JudgedResult): Block[] {
  return [
    { is: "heading", text: "By type of question" },
    {
      is: "table",
      columns: ["", ...rows.map(named)],
      rows: types.map((type) => [
        type,
        ...rows.map((row) => (row.byType[type] === undefined ? "–" : known(row.byType[type].mean))),
      ]),
    },
  ];
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
    facts: [counted(exam.items.length, "question")],
    blocks: [{ is: "table", columns: ["", ...rows.map(named)], rows: lines }],
  };
}
