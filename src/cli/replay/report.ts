import type { Prices, StrategyName } from "../../core/types.ts";
import { FATE_WORDS, REASON_WORDS, RUNG_WORDS, STRATEGY_WORDS } from "../../core/words.ts";
import { bestTrade, survivingShare } from "../../eval/replay/best-trade.ts";
import type { FateRun } from "../../eval/replay/message-fates.ts";
import type { Replay, ReplayCompaction } from "../../eval/replay/simulate.ts";
import { type ReplayTotals, totalsOf } from "../../eval/replay/totals.ts";
import type { Block, Chart, Report } from "../../eval/report/report.ts";
import { netWords } from "../../tokens/receipt-words.ts";
import { formatChange, formatCount, formatDollars, formatShare, formatShort } from "../format.ts";
import { SUITS } from "./suggest-profile.ts";

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
  readonly suggested?: keyof typeof SUITS;
  /** The model whose prices are used. */
  readonly pricesOf?: string;
  readonly warnings: readonly string[];
}

/** Everything that a replay found out. */
interface Replayed {
  readonly facts: ReplayFacts;
  readonly replay: Replay;
  readonly totals: ReplayTotals;
  readonly compared: readonly Compared[];
}

const NO_REQUEST = "It contains no answer by a model, so there is no request to replay.";

/** What came of it, a figure each with a remark. */
function figuresOf(facts: ReplayFacts, totals: ReplayTotals) {
  const { sent, sentWithout, cold, cost, survival, budget, firstTooLong } = totals;
  const net = cost ? cost.without.total - cost.with.total : 0;
  const without = (value: number, base: number, shown: string): string =>
    `${formatChange(value, base)}, without precis ${shown}`;
  const figures: (readonly [name: string, value: string, note: string] | undefined)[] = [
    ["requests", formatCount(totals.requests), cold > 0 ? `${cold} after the cache had expired` : ""],
    ["tokens sent", formatShort(sent), without(sent, sentWithout, formatShort(sentWithout))],
    ["unchanged", formatShare(totals.unchanged), "have the same prefix as the previous request (cacheable)"],
    [
      "largest view",
      formatCount(totals.largest),
      `${formatShare(budget === 0 ? 0 : totals.largest / budget)} of the budget`,
    ],
    survival && survival.items > 0
      ? [
          "survives",
          formatShare(survival.kept / survival.items),
          `${formatCount(survival.kept)} of ${formatCount(survival.items)} key names, paths, numbers and rules are in the last view`,
        ]
      : undefined,
    cost && [
      "cost",
      formatDollars(cost.with.total),
      `${without(cost.with.total, cost.without.total, formatDollars(cost.without.total))} (${facts.pricesOf ?? "prices"}, with cache)`,
    ],
    cost && [
      "net",
      formatDollars(Math.abs(net)),
      `${netWords({ spend: cost.with.total, net })} Summaries that a model would write aren't in it.`,
    ],
    firstTooLong === undefined
      ? undefined
      : ["without precis", `request ${firstTooLong + 1}`, "is the first that doesn't fit"],
  ];
  return figures.flatMap((one) => (one ? [{ name: one[0], value: one[1], note: one[2] }] : []));
}

/** Lines of one compaction that the page shows; a longer one is cut, with a note. */
const MAX_LINES = 400;
/** A peak beyond this share of the budget is cut, so that one huge result doesn't flatten everything else. */
const MAX_TOP = 1.3;
/** What is quoted beside a summary, or recalled for a user message, has a message of its own. */
const QUOTATIONS = /^<conversation-summary>\nQuotations from earlier messages/;

/** The replay, with what became of every message. */
export function replayReport({ facts, replay, totals, compared }: Replayed): Report {
  const { compactions } = totals;
  return {
    kind: "precis replay",
    title: facts.file,
    facts: [
      facts.source,
      `${formatCount(facts.messages)} messages`,
      `${formatCount(facts.tokens)} tokens`,
      `window ${formatShort(facts.window)}`,
      `budget ${formatCount(totals.budget)}`,
      `profile ${facts.profile}`,
      `${STRATEGY_WORDS[facts.strategy].label} (${facts.strategy})`,
    ],
    blocks: [
      ...(facts.suggested === undefined
        ? []
        : [
            note(
              `--profile ${facts.suggested} suits this conversation better, because ${SUITS[facts.suggested]}.`,
            ),
          ]),
      ...(totals.requests === 0
        ? [note(NO_REQUEST)]
        : ([
            { is: "tiles", tiles: figuresOf(facts, totals) },
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
        "The view is what would have been sent to the model. “Unchanged” is the beginning it shares with the previous request: providers read that part from their cache at a fraction of the price.",
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
    title: "Tokens sent per request, with the budget",
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

/** One compaction: its numbers, what became of each message, the summary message. */
function compactionBlock(compaction: ReplayCompaction, index: number): Block {
  const { at, tokens, counts, pressure, rung, reason, fates, warnings, written } = compaction;
  const more = fates.length - MAX_LINES;
  return {
    is: "fold",
    id: `c${index + 1}`,
    title: `after message ${formatCount(at)}${reason === undefined ? "" : `, because ${REASON_WORDS[reason]}`}`,
    facts: [
      `${rung === undefined ? "" : `${RUNG_WORDS[rung]}: `}${formatShort(tokens.before)} → ${formatShort(tokens.after)} tokens`,
      `kept ${formatCount(counts.kept)}, shortened ${formatCount(counts.edited)}, summarised ${formatCount(counts.covered)}, left out ${formatCount(counts.dropped)}`,
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
        rows: fates.slice(0, MAX_LINES).map(fateRow),
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
function fateRow(run: FateRun): string[] {
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
function whatOf({ roles, preview }: FateRun): string {
  const all = Object.entries(roles);
  return preview === undefined
    ? all.map(([role, count]) => `${count} ${role}`).join(", ")
    : `${all[0]?.[0] ?? ""}: ${preview}`;
}

/** Strategies that shorten, in the order in which they are shown. */
export const COMPARED = [
  "summarize-oldest",
  "summarize-middle",
  "tool-summaries",
  "drop-middle",
  "truncate-oldest",
  "summarize-and-drop",
  "drop-all",
] as const satisfies readonly StrategyName[];

/** One line of the comparison: a strategy, or sending everything. */
export interface Compared {
  readonly strategy: StrategyName | "everything";
  readonly label: string;
  readonly compactions: number;
  /** Requests that the strategy couldn't make fit; for "everything", those that no longer fit the window. */
  readonly impossible: number;
  readonly sent: number;
  /** Share of the prompt tokens that a provider can read from its cache. */
  readonly unchanged: number;
  /** US dollars, cache reads and writes counted. */
  readonly cost: number;
  /** Share of the names, paths, numbers and rules that matter which the last view still says. */
  readonly survives: number;
  /** Share of a judge's questions that a reader of the last view answers right, where one was asked. */
  readonly knows?: number;
}

/** What the session would have cost under each strategy, and without any. */
export function comparedOf(
  runs: readonly { readonly strategy: StrategyName; readonly replay: Replay }[],
  prices: Prices | undefined,
  judged: ReadonlyMap<StrategyName, number> = new Map(),
): Compared[] {
  const lines = runs.map(({ strategy, replay }): Compared => {
    const totals = totalsOf(replay, prices);
    const knows = judged.get(strategy);
    return {
      strategy,
      label: STRATEGY_WORDS[strategy].label,
      compactions: totals.compactions,
      impossible: replay.impossible.length,
      sent: totals.sent,
      unchanged: totals.unchanged,
      cost: totals.cost?.with.total ?? 0,
      survives: survivingShare(totals.survival),
      ...(knows !== undefined && { knows }),
    };
  });
  const [first] = runs;
  return first ? [everything(first.replay, totalsOf(first.replay, prices)), ...lines] : [];
}

function everything({ requests }: Replay, totals: ReplayTotals): Compared {
  return {
    strategy: "everything",
    label: "Send everything",
    compactions: 0,
    impossible: requests.filter((request) => request.full > request.budget).length,
    sent: totals.sentWithout,
    unchanged: totals.unchangedWithout,
    cost: totals.cost?.without.total ?? 0,
    survives: 1,
  };
}

/** By a judge where one was asked, otherwise by the product's own measure. */
const keptBy = ({ knows, survives }: Compared): number => knows ?? survives;

/** The strategy that keeps nearly as much as any and costs least; sending everything isn't one. */
const bestOf = (lines: readonly Compared[]): Compared | undefined =>
  bestTrade(
    lines
      .filter(({ strategy }) => strategy !== "everything")
      .map((line) => ({
        line,
        keeps: keptBy(line),
        costs: line.cost,
        isPossible: line.impossible === 0,
        strategy: line.strategy,
      })),
  )?.line;

function bestWhy(lines: readonly Compared[]): string | undefined {
  const best = bestOf(lines);
  if (best === undefined) return undefined;
  const most = Math.max(...lines.flatMap((line) => (line.strategy === "everything" ? [] : [keptBy(line)])));
  const what =
    best.knows === undefined
      ? `It keeps ${formatShare(best.survives)} of the key details (the maximum is ${formatShare(most)}), and no strategy that keeps nearly as much`
      : `Its reader knows ${formatShare(best.knows)} (the maximum is ${formatShare(most)}), and no strategy whose reader knows nearly as much`;
  return `Best trade: ${best.label} (${best.strategy}). ${what} costs clearly less (${formatDollars(best.cost)}).`;
}

const knowsText = ({ knows }: Compared): string => (knows === undefined ? "–" : formatShare(knows));

/** The columns of the comparison. */
const columnsOf = (
  lines: readonly Compared[],
): readonly (readonly [string, (line: Compared) => string])[] => [
  ...(lines.some(({ knows }) => knows !== undefined) ? [["knows", knowsText] as const] : []),
  ["survives", ({ survives }) => formatShare(survives)],
  ["sent", ({ sent }) => formatShort(sent)],
  ["cached", ({ unchanged }) => formatShare(unchanged)],
  ["cost", ({ cost }) => formatDollars(cost)],
];

function notes(lines: readonly Compared[]): string[] {
  return lines
    .filter(({ impossible }) => impossible > 0)
    .map(({ strategy, impossible }) =>
      strategy === "everything"
        ? `everything: ${formatCount(impossible)} requests no longer fit the window`
        : `${strategy}: ${formatCount(impossible)} requests can't be made to fit`,
    );
}

/** The comparison as a table, with a bar for each cost. */
export function comparedBlocks(lines: readonly Compared[], chosen: string): Block[] {
  if (lines.length === 0) return [];
  const most = Math.max(...lines.map(({ cost }) => cost)) || 1;
  const best = bestOf(lines);
  const why = bestWhy(lines);
  const shown = columnsOf(lines);
  const rows = lines.map((line) => [
    {
      text: `${line.strategy === chosen ? "▸ " : ""}${line.strategy}${line === best ? " (best trade)" : ""}`,
      small: line.label,
    },
    ...shown.slice(0, -1).map(([, text]) => text(line)),
    { text: formatDollars(line.cost), fill: line.cost / most },
  ]);
  return [
    { is: "heading", text: "What survives and what it costs" },
    { is: "table", columns: ["strategy", ...shown.map(([title]) => title)], rows },
    ...[...(why === undefined ? [] : [why]), ...notes(lines)].map((text) => ({ is: "note", text }) as const),
  ];
}
