import { FATE_WORDS, type FateName, REASON_WORDS, RUNG_WORDS } from "../../../core/words.ts";
import type { ReceiptRun } from "../../../eval/replay/receipt.ts";
import type { ReplayCompaction } from "../../../eval/replay/simulate.ts";
import { escapeHtml } from "../../../eval/report/escape.ts";
import { type Column, tableHtml } from "../../../eval/report/page.ts";
import { formatCount, formatShare } from "../../format.ts";

/** Lines of one receipt that the page shows; a longer one is cut, with a note. */
const MAX_LINES = 400;

const FATES: readonly FateName[] = ["kept", "shortened", "covered", "dropped"];

/** One compaction that opens: numbers, a strip of what became of the messages, the receipt, the summary message. */
export function compactionHtml(compaction: ReplayCompaction, index: number): string {
  const { tokens, counts } = compaction;
  const left = tokens.before === 0 ? 0 : (tokens.after / tokens.before) * 100;
  const amounts: Readonly<Record<FateName, number>> = {
    kept: counts.kept,
    shortened: counts.edited,
    covered: counts.covered,
    dropped: counts.dropped,
  };
  const chips = [
    compaction.rung && RUNG_WORDS[compaction.rung],
    compaction.reason && `because ${REASON_WORDS[compaction.reason]}`,
  ]
    .filter((text) => text !== undefined)
    .map((text) => `<span class="chip">${escapeHtml(text)}</span>`);
  return [
    `<details class="card" id="c${index + 1}"><summary>`,
    `<span class="badge">${index + 1}</span>`,
    `<span class="where">after message ${formatCount(compaction.at)}<span class="note">before request ${formatCount(compaction.request + 1)}</span></span>`,
    `<span>${chips.join("")}</span>`,
    `<span class="drop"><span>${formatCount(tokens.before)} → <b>${formatCount(tokens.after)}</b> tokens</span><span class="bar"><b style="width:${left.toFixed(1)}%"></b></span></span>`,
    `<span class="counts">${FATES.filter((fate) => amounts[fate] > 0)
      .map(
        (fate) =>
          `<span><i class="${fate}"></i><b>${formatCount(amounts[fate])}</b> ${FATE_WORDS[fate]}</span>`,
      )
      .join("")}</span>`,
    '</summary><div class="inside">',
    `<p class="note" style="margin-top:14px">Pressure ${formatShare(compaction.pressure.before)} before, ${formatShare(compaction.pressure.after)} after.${compaction.warnings.map((warning) => ` ${escapeHtml(warning.message)}`).join("")}</p>`,
    "<h3>What became of the messages (width: tokens)</h3>",
    strip(compaction.receipt),
    "<h3>Receipt</h3>",
    receiptTable(compaction.receipt),
    ...compaction.written.map(
      (text) => `<h3>${titleOf(text)}</h3><pre tabindex="0">${escapeHtml(text)}</pre>`,
    ),
    "</div></details>",
  ].join("");
}

/** What is quoted beside a summary, or recalled for a user message, has a message of its own. */
const QUOTATIONS = /^<conversation-summary>\nQuotations from earlier messages/;

const titleOf = (text: string): string => (QUOTATIONS.test(text) ? "Quotations" : "Summary message");

const strip = (receipt: readonly ReceiptRun[]): string =>
  `<div class="strip" role="img" aria-label="Messages from the first to the last, by what became of them">${receipt
    .map(
      (run) =>
        `<i class="${run.fate}" style="flex:${run.tokens.before} 0 0" title="${escapeHtml(`${numbers(run)} ${FATE_WORDS[run.fate]}${run.why === "" ? "" : `: ${run.why}`}`)}"></i>`,
    )
    .join("")}</div>`;

const RECEIPT_COLUMNS: readonly Column[] = [
  { label: "messages", className: "who" },
  { label: "became", className: "fate" },
  { label: "why", className: "why" },
  { label: "what", className: "what" },
  { label: "tokens", className: "n" },
];

function receiptTable(receipt: readonly ReceiptRun[]): string {
  const rows = receipt.slice(0, MAX_LINES).map((run) => {
    const amount =
      run.fate === "shortened"
        ? `${formatCount(run.tokens.before)} → ${formatCount(run.tokens.after)}`
        : formatCount(run.tokens.before);
    const fate = `<i class="${run.fate}"></i>${FATE_WORDS[run.fate]}`;
    return [numbers(run), fate, escapeHtml(run.why), escapeHtml(whatOf(run)), amount];
  });
  const more = receipt.length - MAX_LINES;
  const note = more > 0 ? `<p class="note">and ${formatCount(more)} lines more</p>` : "";
  return `<div class="scroll" tabindex="0">${tableHtml(RECEIPT_COLUMNS, rows)}</div>${note}`;
}

/** Messages are numbered from 1, as in the summary message. */
const numbers = (run: ReceiptRun): string =>
  run.to - run.from === 1 ? `#${run.from + 1}` : `#${run.from + 1}–${run.to}`;

/** `user: the start of it` for one message, `4 assistant, 7 tool` for several. */
function whatOf(run: ReceiptRun): string {
  const roles = Object.entries(run.roles);
  if (run.preview !== undefined) return `${roles[0]?.[0] ?? ""}: ${run.preview}`;
  return roles.map(([role, count]) => `${count} ${role}`).join(", ");
}
