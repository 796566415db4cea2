import type { Block, Report } from "../report/report.ts";
import { NOISES, type Rule, WAYS } from "./conversation.ts";
import type { RuleFate } from "./run-rules.ts";

/** How many rules met which fate. */
interface RuleCount {
  readonly rules: number;
  readonly kept: number;
  readonly stale: number;
  readonly failed: number;
}

/** One way of compacting at one size, after so many compactions in a row. */
interface RulesRow extends RuleCount {
  readonly arm: string;
  readonly size: string;
  readonly compactions: number;
  /** By what tells rules apart: the way they were given, their language, their wording, and what pushed them out. */
  readonly by: Readonly<Record<string, Readonly<Record<string, RuleCount>>>>;
}

export interface RulesResult {
  /** How tokens were counted. */
  readonly counter: string;
  readonly conversations: number;
  readonly summarizer?: string;
  readonly rows: readonly RulesRow[];
  /** Rules that weren't kept, each with the rows in which it wasn't. */
  readonly missing: readonly (Rule & {
    readonly conversation: string;
    readonly where: readonly string[];
  })[];
}

/** Names of the groups, with how a fate is put into one of them and the order of their values. */
const GROUPS: readonly {
  readonly name: string;
  readonly of: (fate: RuleFate) => string;
  readonly order: readonly string[];
}[] = [
  { name: "way", of: ({ rule }) => rule.way, order: WAYS },
  { name: "language", of: ({ rule }) => rule.language, order: [] },
  {
    name: "wording",
    of: ({ rule }) => (rule.isMarked ? "always, never, don't" : "plain statement"),
    order: [],
  },
  { name: "pushed out by", of: ({ noise }) => noise, order: NOISES },
];

const rowName = ({ arm, size, compactions }: RuleFate | RulesRow): string =>
  `${arm}, ${size}, ×${compactions}`;

/** The fates, added up. */
export function rulesResult(
  fates: readonly RuleFate[],
  about: Pick<RulesResult, "counter" | "conversations" | "summarizer">,
): RulesResult {
  const rows = [...Map.groupBy(fates, rowName).values()].map((own): RulesRow => {
    const { arm, size, compactions } = own[0]!;
    const by = GROUPS.map(({ name, of, order }) => {
      const counts = [...Map.groupBy(own, of)].map(([value, some]) => [value, countOf(some)] as const);
      counts.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
      return [name, Object.fromEntries(counts)] as const;
    });
    return { arm, size, compactions, ...countOf(own), by: Object.fromEntries(by) };
  });
  const missing = [
    ...Map.groupBy(fates, ({ conversation, rule }) => `${conversation}\n${rule.text}`),
  ].flatMap(([, own]) => {
    const bad = own.filter(({ fate }) => fate !== "kept");
    const { rule, conversation } = own[0]!;
    if (bad.length === 0) return [];
    return [{ ...rule, conversation, where: bad.map((one) => `${rowName(one)}: ${one.fate}`) }];
  });
  return { ...about, rows, missing };
}

function countOf(fates: readonly RuleFate[]): RuleCount {
  const number = (wanted: RuleFate["fate"]): number => fates.filter(({ fate }) => fate === wanted).length;
  return { rules: fates.length, kept: number("kept"), stale: number("stale"), failed: number("failed") };
}

/** Groups that tell anything apart in this result, each with its values. */
function groupsOf({ rows }: RulesResult): { readonly name: string; readonly values: readonly string[] }[] {
  return GROUPS.map(({ name }) => ({
    name,
    values: [...new Set(rows.flatMap((row) => Object.keys(row.by[name] ?? {})))],
  })).filter(({ values }) => values.length > 1);
}

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
