import { escapeHtml } from "../report/escape.ts";
import { reportPage, tableHtml } from "../report/page.ts";
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
    tab: "Exam",
    facts: [
      `${counted(questions, "question")} of ${counted(result.exams, "exam")}`,
      counted(trials, "trial"),
      `reader ${reader}`,
      `judge ${judge}`,
      ...(summarizer === undefined ? [] : [`summaries by ${summarizer}`]),
      `tokens by ${counter}`,
    ],
    style: STYLE,
    body: [
      `<figure class="card"><figcaption>Score, %</figcaption>${result.rows.map((row, index) => bar(row, index + 1, row === baseOf(result))).join("")}</figure>`,
      `<div class="scroll">${armTable(result)}</div>`,
      `<p class="note below">${escapeHtml(judgedNotes(result))}</p>`,
      ...(result.types.length < 2 ? [] : ["<h2>By type of question</h2>", typeTable(result)]),
      "<h2>Question by question</h2>",
      '<p class="note">The mean over trials. A dagger stands for an answer that misleads.</p>',
      ...exams.map((exam) => examTable(result, exam)),
    ],
  });
}

const baseOf = ({ rows, against }: JudgedResult): JudgedRow | undefined =>
  rows.find((row) => rowId(row) === against);

/** One arm's score, with the interval as a line across its end. */
function bar({ label, size, score }: JudgedRow, number: number, isBase: boolean): string {
  const at = (share: number): string => `${(100 * Math.min(1, Math.max(0, share))).toFixed(1)}%`;
  const name = `${number} ${escapeHtml(label)} <small>${escapeHtml(size)}</small>`;
  const width = at(score.high - score.low);
  return `<div class="arm${isBase ? " base" : ""}"><span>${name}</span><div class="track"><b style="width:${at(score.mean)}"></b><i style="left:${at(score.low)};width:${width}"></i></div><span class="n">${percent(score.mean)}</span></div>`;
}

function armTable(result: JudgedResult): string {
  const base = baseOf(result);
  const columns = ["arm", "size", "score, %", base ? `against ${base.label}` : "", "misled, %", "tokens"];
  return tableHtml(
    columns.map((label, index) => ({ label, className: index < 2 ? "who" : "n" })),
    result.rows.map((row, index) => [
      `${index + 1} ${escapeHtml(row.label)}`,
      escapeHtml(row.size),
      withRange(percent(row.score.mean), row.score),
      row.difference === undefined ? "–" : withRange(signed(row.difference.mean), row.difference),
      percent(row.misleading),
      row.tokens.toFixed(0),
    ]),
  );
}

const withRange = (text: string, estimate: ExamEstimate): string =>
  `${text} <small>${range(estimate)}</small>`;

function typeTable({ rows, types }: JudgedResult): string {
  return `<div class="scroll types">${tableHtml(
    [{ label: "" }, ...rows.map((row) => ({ label: named(row), className: "n" }))],
    types.map((type) => [
      escapeHtml(type),
      ...rows.map((row) => (row.byType[type] === undefined ? "–" : shaded(row.byType[type].mean))),
    ]),
  )}</div>`;
}

function examTable({ rows, marks }: JudgedResult, exam: Exam): string {
  const own = Map.groupBy(
    marks.filter((mark) => mark.exam === exam.id),
    ({ n, row }) => `${n} ${row}`,
  );
  const lines = exam.items.map(({ n, type, question, expected }) => [
    `${escapeHtml(question)}<small>${escapeHtml(type)}. Expected: ${escapeHtml(expected)}</small>`,
    ...rows.map((row) => {
      const given = own.get(`${n} ${rowId(row)}`);
      if (given === undefined) return "–";
      const mean = given.reduce((sum, { score }) => sum + score, 0) / given.length;
      return shaded(mean, given.some(({ misleading }) => misleading) ? " †" : "");
    }),
  ]);
  const columns = [
    { label: "", className: "asked" },
    ...rows.map((row) => ({ label: named(row), className: "n" })),
  ];
  return `<details class="card"><summary>${escapeHtml(exam.id)} <small>${counted(exam.items.length, "question")}</small></summary><div class="scroll">${tableHtml(columns, lines)}</div></details>`;
}

const named = ({ label, size }: JudgedRow): string => `${label}, ${size}`;

/** A figure on a ground that is the stronger, the more was known. */
const shaded = (share: number, mark = ""): string =>
  `<span class="known" style="--known:${Math.round(100 * share)}%">${percent(share)}${mark}</span>`;

const STYLE = `
h2{margin:2.2rem 0 .6rem}
header{margin-bottom:1.2rem}
.below{margin-top:.8rem}.note+details{margin-top:.8rem}
.types table{width:auto}.types td:first-child{padding-right:2rem}
figure{padding:1rem 1.2rem}
.arm{display:grid;grid-template-columns:minmax(9rem,16rem) 1fr 3.5rem;gap:.9rem;align-items:center;padding:.22rem 0}
.arm small,td small{color:var(--soft)}td small{display:block}
.track{position:relative;height:1.1rem;background:var(--faint);border-radius:4px}
.track b{position:absolute;inset:0 auto 0 0;background:var(--main);border-radius:4px;opacity:.75}
.base .track b{background:var(--other)}
.track i{position:absolute;top:50%;height:2px;margin-top:-1px;background:var(--ink)}
.n{text-align:right;white-space:nowrap}
.scroll{overflow-x:auto}
.asked{min-width:16rem}
.known{display:inline-block;min-width:3.6rem;padding:0 .4rem;border-radius:4px;background:color-mix(in srgb,var(--main) calc(var(--known)*.45),transparent)}
details.card{padding:.6rem 1rem}
@media (max-width:560px){.arm{grid-template-columns:1fr 3.2rem}.arm .track{grid-column:1/-1;grid-row:2}}
`;
