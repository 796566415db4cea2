import { NOISES, type Rule, WAYS } from "./conversation.ts";
import type { RuleFate } from "./run-rules.ts";

/** How many rules met which fate. */
export interface RuleCount {
  readonly rules: number;
  readonly kept: number;
  readonly stale: number;
  readonly failed: number;
}

/** One way of compacting at one size, after so many compactions in a row. */
export interface RulesRow extends RuleCount {
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
export function groupsOf({
  rows,
}: RulesResult): { readonly name: string; readonly values: readonly string[] }[] {
  return GROUPS.map(({ name }) => ({
    name,
    values: [...new Set(rows.flatMap((row) => Object.keys(row.by[name] ?? {})))],
  })).filter(({ values }) => values.length > 1);
}
