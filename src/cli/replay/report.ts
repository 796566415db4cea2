import type { StrategyName } from "../../core/types.ts";
import { FATE_WORDS, REASON_WORDS, RUNG_WORDS, STRATEGY_WORDS } from "../../core/words.ts";
import type { ReceiptRun } from "../../eval/replay/receipt.ts";
import type { Replay, ReplayCompaction } from "../../eval/replay/simulate.ts";
import type { ReplayTotals } from "../../eval/replay/totals.ts";
import type { Block, Chart, Report } from "../../eval/report/report.ts";
import { netWords } from "../../tokens/receipt-words.ts";
import { formatChange, formatCount, formatDollars, formatShare, formatShort, NUMBERS } from "../format.ts";
import type { Look } from "../paint.ts";
import { wrap } from "../wrap.ts";
import { chartLegend, pressureChart } from "./chart.ts";
import { type Compared, comparedBlocks, comparedLines } from "./compare.ts";

/** Facts about a replay that the text and the page show. */
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

/** Everything that a replay found out. */
export interface Replayed {
  readonly facts: ReplayFacts;
  readonly replay: Replay;
  readonly totals: ReplayTotals;
  readonly compared: readonly Compared[];
}

const NO_REQUEST = "There is no answer of a model in it, so there is no request to replay.";

const about = ({ facts, totals }: Pick<Replayed, "facts" | "totals">) => [
  [facts.source, `${formatCount(facts.messages)} messages`, `${formatCount(facts.tokens)} tokens`],
  [
    `window ${formatShort(facts.window)}`,
    `budget ${formatCount(totals.budget)}`,
    `profile ${facts.profile}`,
    `${STRATEGY_WORDS[facts.strategy].label} (${facts.strategy})`,
  ],
];

/** What came of it, a figure each with a remark. `without`: the same without precis, which more is worse than. */
interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly without?: readonly [value: number, base: number, shown: string];
}

function figuresOf(facts: ReplayFacts, totals: ReplayTotals): Figure[] {
  const { sent, sentWithout, cold, cost, survival, receipts, budget, firstTooLong } = totals;
  return [
    {
      name: "requests",
      value: formatCount(totals.requests),
      note: cold > 0 ? `${cold} after the cache had expired` : "",
    },
    {
      name: "tokens sent",
      value: formatShort(sent),
      note: "",
      without: [sent, sentWithout, formatShort(sentWithout)],
    },
    {
      name: "unchanged",
      value: formatShare(totals.unchanged),
      note: "of it the same prefix as in the request before (cacheable)",
    },
    {
      name: "largest view",
      value: formatCount(totals.largest),
      note: `${formatShare(budget === 0 ? 0 : totals.largest / budget)} of the budget`,
    },
    ...(survival !== undefined && survival.items > 0
      ? [
          {
            name: "survives",
            value: formatShare(survival.kept / survival.items),
            note: `${formatCount(survival.kept)} of ${formatCount(survival.items)} names, paths, numbers and rules that matter, in the last view`,
          },
        ]
      : []),
    ...(cost
      ? [
          {
            name: "cost",
            value: formatDollars(cost.with.total),
            note: `(${facts.pricesOf ?? "prices"}, with cache)`,
            without: [cost.with.total, cost.without.total, formatDollars(cost.without.total)] as const,
          },
        ]
      : []),
    ...(receipts
      ? [{ name: "net", value: formatDollars(Math.abs(receipts.net)), note: netWords(receipts, NUMBERS) }]
      : []),
    ...(firstTooLong === undefined
      ? []
      : [
          {
            name: "without precis",
            value: `request ${firstTooLong + 1}`,
            note: "is the first that no longer fits",
          },
        ]),
  ];
}

const noteOf = (
  { note, without }: Figure,
  paintChange = (text: string, _isLess: boolean): string => text,
): string => {
  if (!without) return note;
  const [value, base, shown] = without;
  return `${paintChange(formatChange(value, base), value <= base)}, without precis ${shown} ${note}`.trim();
};

/** Below this, the note on a total stands on a line of its own. */
const NOTES_FROM = 76;
/** Between columns, and before what belongs to the line above. */
const GAP = "  ";

/** The replay for a terminal. */
export function replayText(replayed: Replayed, look: Look): string {
  const { facts, replay, totals, compared } = replayed;
  const { columns, paint } = look;
  const [what = [], how = []] = about(replayed);
  const dim = (text: string) => wrap(text, columns).map((line) => paint("dim", line));
  const head = [
    paint("strong", facts.file),
    ...wrap(what.join(", "), columns),
    ...dim(how.join(", ")),
    ...(facts.suggested === undefined
      ? []
      : wrap(`For a conversation like this one, --profile ${facts.suggested} is made.`, columns)),
    "",
  ];
  const body =
    totals.requests === 0
      ? [NO_REQUEST]
      : [
          ...pressureChart(replay.requests, look),
          ...dim(chartLegend(replay.requests)),
          "",
          ...figureLines(figuresOf(facts, totals), look),
          "",
          ...(replay.compactions.length === 0 ? ["Nothing had to be compacted."] : []),
          ...replay.compactions.flatMap((compaction) => compactionLines(compaction, look)),
        ];
  return `${[...head, ...body, ...comparedLines(compared, facts.strategy, look)].join("\n")}\n`;
}

function figureLines(figures: readonly Figure[], { columns, paint }: Look): string[] {
  const nameWidth = Math.max(...figures.map(({ name }) => name.length));
  const valueWidth = Math.max(...figures.map(({ value }) => value.length));
  const start = nameWidth + valueWidth + 2 * GAP.length;
  const isWide = columns >= NOTES_FROM;
  return figures.flatMap((figure) => {
    const { name, value } = figure;
    const line = `${name.padEnd(nameWidth)}${GAP}${paint("strong", value.padStart(valueWidth))}`;
    const note = noteOf(figure, (text, isLess) => paint(isLess ? "good" : "bad", text));
    if (note === "") return [line];
    const [first = "", ...rest] = wrap(note, columns - (isWide ? start : GAP.length));
    return isWide
      ? [line + GAP + first, ...rest.map((text) => " ".repeat(start) + text)]
      : [line, ...[first, ...rest].map((text) => GAP + text)];
  });
}

function compactionLines({ at, reason, rung, tokens, counts }: ReplayCompaction, { columns, paint }: Look) {
  const because = reason === undefined ? "" : `, because ${REASON_WORDS[reason]}`;
  const how = rung === undefined ? "" : `${RUNG_WORDS[rung]}: `;
  const lines = (text: string) => wrap(text, columns - GAP.length).map((line) => GAP + line);
  return [
    ...wrap(`${paint("accent", "▲")} after message ${formatCount(at)}${because}`, columns, 2),
    ...lines(`${how}${formatShort(tokens.before)} → ${formatShort(tokens.after)} tokens`),
    ...lines(
      `kept ${formatCount(counts.kept)}, shortened ${formatCount(counts.edited)}, summarised ${formatCount(counts.covered)}, left out ${formatCount(counts.dropped)}`,
    ).map((line) => paint("dim", line)),
  ];
}

/** Lines of one receipt that the page shows; a longer one is cut, with a note. */
const MAX_LINES = 400;
/** A peak beyond this share of the budget is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.3;
/** What is quoted beside a summary, or recalled for a user message, has a message of its own. */
const QUOTATIONS = /^<conversation-summary>\nQuotations from earlier messages/;

/** The replay as a page, with what became of every message. */
export function replayReport(replayed: Replayed): Report {
  const { facts, replay, totals, compared } = replayed;
  const { compactions } = totals;
  return {
    kind: "precis replay",
    title: facts.file,
    facts: about(replayed).flat(),
    blocks: [
      ...(totals.requests === 0
        ? [note(NO_REQUEST)]
        : ([
            {
              is: "tiles",
              tiles: figuresOf(facts, totals).map((figure) => ({ ...figure, note: noteOf(figure) })),
            },
            ...(facts.warnings.length === 0 ? [] : [{ is: "list", lines: facts.warnings } as const]),
            { is: "chart", ...viewChart(replay) },
            { is: "chart", ...totalChart(replay) },
            ...comparedBlocks(compared, facts.strategy),
            {
              is: "heading",
              text:
                compactions === 0
                  ? "Nothing had to be compacted"
                  : compactions === 1
                    ? "One compaction"
                    : `${formatCount(compactions)} compactions`,
            },
            ...replay.compactions.map(compactionBlock),
            { is: "fold", title: "Every request", blocks: [requestTable(replay)] },
          ] satisfies Block[])),
      note(
        "The view is what the model would have been sent. “Unchanged” is the front of it that is the same as in the request before: providers read that part from their cache at a fraction of the price.",
      ),
    ],
  };
}

const note = (text: string): Block => ({ is: "note", text });

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
