import { FATE_WORDS, REASON_WORDS, RUNG_WORDS, STRATEGY_WORDS } from "../../core/words.ts";
import type { ReceiptRun } from "../../eval/replay/receipt.ts";
import type { Replay, ReplayCompaction } from "../../eval/replay/simulate.ts";
import type { ReplayTotals } from "../../eval/replay/totals.ts";
import { type Block, type Chart, reportPage } from "../../eval/report/report.ts";
import { formatChange, formatCount, formatDollars, formatShare, formatShort } from "../format.ts";
import { type Compared, comparedBlocks } from "./compare.ts";
import type { ReplayFacts } from "./text-report.ts";

/** Lines of one receipt that the page shows; a longer one is cut, with a note. */
const MAX_LINES = 400;
/** A peak beyond this share of the budget is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.3;
/** What is quoted beside a summary, or recalled for a user message, has a message of its own. */
const QUOTATIONS = /^<conversation-summary>\nQuotations from earlier messages/;

export function replayPage(
  facts: ReplayFacts,
  replay: Replay,
  totals: ReplayTotals,
  compared: readonly Compared[] = [],
): string {
  return reportPage({
    kind: "precis replay",
    title: facts.file,
    facts: [
      facts.source,
      `${formatCount(facts.messages)} messages`,
      `${formatCount(facts.tokens)} tokens`,
      `window ${formatShort(facts.window)}`,
      `budget ${formatCount(totals.budget)}`,
      `profile ${facts.profile}`,
      STRATEGY_WORDS[facts.strategy].label,
    ],
    blocks: [
      ...(totals.requests === 0
        ? [note("There is no answer of a model in it, so there is no request to replay.")]
        : blocks(facts, replay, totals, compared)),
      note(
        "The view is what the model would have been sent. “Unchanged” is the front of it that is the same as in the request before: providers read that part from their cache at a fraction of the price.",
      ),
    ],
  });
}

const note = (text: string): Block => ({ is: "note", text });

function blocks(
  facts: ReplayFacts,
  replay: Replay,
  totals: ReplayTotals,
  compared: readonly Compared[],
): Block[] {
  const { compactions } = totals;
  const count =
    compactions === 0
      ? "Nothing had to be compacted"
      : compactions === 1
        ? "One compaction"
        : `${formatCount(compactions)} compactions`;
  return [
    { is: "tiles", tiles: tiles(facts, totals) },
    ...(facts.warnings.length === 0 ? [] : [{ is: "list", lines: facts.warnings } as const]),
    { is: "chart", ...viewChart(replay) },
    { is: "chart", ...totalChart(replay) },
    ...comparedBlocks(compared, facts.strategy),
    { is: "heading", text: count },
    ...replay.compactions.map(compactionBlock),
    { is: "fold", title: "Every request", blocks: [requestTable(replay)] },
  ];
}

function tiles(facts: ReplayFacts, totals: ReplayTotals) {
  const { sent, sentWithout, cold, cost, budget } = totals;
  const instead = (value: number, base: number, format: (value: number) => string): string =>
    `${formatChange(value, base)}, instead of ${format(base)}`;
  return [
    {
      name: "Requests",
      value: formatCount(totals.requests),
      note:
        totals.firstTooLong === undefined
          ? "all would fit without precis, too"
          : `from ${formatCount(totals.firstTooLong + 1)} on, the transcript no longer fits`,
    },
    { name: "Tokens sent", value: formatShort(sent), note: instead(sent, sentWithout, formatShort) },
    {
      name: "Unchanged prefix",
      value: formatShare(totals.unchanged),
      note: `cacheable${cold > 0 ? `; ${cold} ${cold === 1 ? "request" : "requests"} came after the cache had expired` : ""}`,
    },
    {
      name: "Largest view",
      value: formatCount(totals.largest),
      note: `${formatShare(budget === 0 ? 0 : totals.largest / budget)} of the budget`,
    },
    ...(cost === undefined
      ? []
      : [
          {
            name: "Cost",
            value: formatDollars(cost.with.total),
            note: `${instead(cost.with.total, cost.without.total, formatDollars)}; ${facts.pricesOf ?? ""}, cache included`,
          },
        ]),
  ];
}

/** At a compaction the line rises to what the view had grown to and falls to what it became. */
function viewChart({ requests, compactions }: Replay): Chart {
  const budget = Math.max(...requests.map((request) => request.budget));
  const points = requests.flatMap((request, at) => {
    const grown = request.pressure.before * request.budget;
    const after = [at, request.tokens] as const;
    return request.compaction === undefined ? [after] : [[at, grown] as const, after];
  });
  return {
    title: "Tokens that each request sends, with the budget",
    lines: [
      { label: "view", points },
      { label: "without precis", points: requests.map(({ full }, at) => [at, full] as const) },
    ],
    limits: [budget],
    marks: compactions.map(({ request }, at) => ({
      x: request,
      label: `compaction ${at + 1}`,
      id: `c${at + 1}`,
    })),
    ends: ["request 1", formatCount(requests.length)],
    top: Math.min(Math.max(budget, ...points.map(([, y]) => y)), budget * MAX_TOP),
    format: formatShort,
  };
}

function totalChart({ requests }: Replay): Chart {
  const running = (of: (request: Replay["requests"][number]) => number) => {
    let sum = 0;
    return requests.map((request, at) => {
      sum += of(request);
      return [at, sum] as const;
    });
  };
  const sent = running(({ tokens, tools }) => tokens + tools);
  const full = running(({ full, tools }) => full + tools);
  return {
    title: "Tokens sent in total",
    lines: [
      { label: "with precis", points: sent },
      { label: "without", points: full },
    ],
    ends: ["request 1", formatCount(requests.length)],
    top: Math.max(sent.at(-1)?.[1] ?? 0, full.at(-1)?.[1] ?? 0),
    format: formatShort,
  };
}

const requestTable = ({ requests }: Replay): Block => ({
  is: "table",
  columns: ["request", "after message", "sent", "of the budget", "unchanged", "without precis"],
  rows: requests.map(({ at, tokens, pressure, unchanged, full }, index) => [
    formatCount(index + 1),
    formatCount(at),
    formatCount(tokens),
    formatShare(pressure.after),
    formatCount(unchanged),
    formatCount(full),
  ]),
});

/** One compaction: its numbers, the receipt, the summary message. */
function compactionBlock(compaction: ReplayCompaction, index: number): Block {
  const { tokens, counts, pressure, rung, reason, receipt, warnings, written } = compaction;
  const amounts = [
    [counts.kept, FATE_WORDS.kept],
    [counts.edited, FATE_WORDS.shortened],
    [counts.covered, FATE_WORDS.covered],
    [counts.dropped, FATE_WORDS.dropped],
  ] as const;
  const more = receipt.length - MAX_LINES;
  return {
    is: "fold",
    id: `c${index + 1}`,
    title: `${index + 1}: after message ${formatCount(compaction.at)}, before request ${formatCount(compaction.request + 1)}`,
    facts: [
      `${formatCount(tokens.before)} → ${formatCount(tokens.after)} tokens`,
      ...(rung === undefined ? [] : [RUNG_WORDS[rung]]),
      ...(reason === undefined ? [] : [`because ${REASON_WORDS[reason]}`]),
      ...amounts.flatMap(([count, word]) => (count > 0 ? [`${formatCount(count)} ${word}`] : [])),
    ],
    blocks: [
      note(
        [
          `Pressure ${formatShare(pressure.before)} before, ${formatShare(pressure.after)} after.`,
          ...warnings.map(({ message }) => message),
        ].join(" "),
      ),
      {
        is: "table",
        columns: ["messages", "became", "why", "what", "tokens"],
        rows: receipt.slice(0, MAX_LINES).map(receiptRow),
      },
      ...(more > 0 ? [note(`and ${formatCount(more)} lines more`)] : []),
      ...written.map(
        (text) =>
          ({ is: "text", title: QUOTATIONS.test(text) ? "Quotations" : "Summary message", text }) as const,
      ),
    ],
  };
}

/** Messages are numbered from 1, as in the summary message. */
function receiptRow(run: ReceiptRun): string[] {
  const { from, to, fate, tokens } = run;
  const [before, after] = [formatCount(tokens.before), formatCount(tokens.after)];
  return [
    to - from === 1 ? `#${from + 1}` : `#${from + 1}–${to}`,
    FATE_WORDS[fate],
    run.why,
    whatOf(run),
    fate === "shortened" ? `${before} → ${after}` : before,
  ];
}

/** `user: the start of it` for one message, `4 assistant, 7 tool` for several. */
function whatOf({ roles, preview }: ReceiptRun): string {
  const all = Object.entries(roles);
  return preview === undefined
    ? all.map(([role, count]) => `${count} ${role}`).join(", ")
    : `${all[0]?.[0] ?? ""}: ${preview}`;
}
