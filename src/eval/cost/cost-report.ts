import type { Block, Report } from "../report/report.ts";
import type { CostResult } from "./run-cost.ts";

const TOKENS_PER_MILLION = 1e6;
const COLUMNS = ["", "cost", "by a model", "compactions", "sent, M", "cached", "anchors", "impossible"];

/** Every result for people: a line per policy. */
export const costReport = (results: readonly CostResult[]): Report => ({
  kind: "precis eval cost",
  title: "What whole sessions cost",
  facts: ["cost as a share of sending everything"],
  blocks: results.flatMap(section),
});

function section(result: CostResult): Block[] {
  const { name, window, budget, head, prices, counter, sessions, requests, cold, cuts, rows } = result;
  const ttl = Number.isFinite(prices.ttlMs)
    ? `cache of ${prices.ttlMs / 60_000} min`
    : "cache that never expires";
  return [
    {
      is: "heading",
      text: `${name}, window ${window} (${budget} for messages, ${head} before them)`,
    },
    {
      is: "note",
      text: `${sessions} sessions, ${requests} requests, ${cold} of them cold, anchors at ${cuts} moments; prices of ${prices.id} (read ${prices.read}, write ${prices.write}, output ${prices.output}), ${ttl}, tokens by ${counter}`,
    },
    {
      is: "table",
      columns: COLUMNS,
      rows: rows.map((row) => [
        row.label,
        row.cost.toFixed(3),
        row.costWithModel?.toFixed(3) ?? "",
        String(row.compactions),
        (row.sent / TOKENS_PER_MILLION).toFixed(0),
        `${(100 * row.cached).toFixed(0)} %`,
        row.anchors === undefined ? "" : (100 * row.anchors).toFixed(1),
        row.impossible === 0 ? "" : String(row.impossible),
      ]),
    },
  ];
}
