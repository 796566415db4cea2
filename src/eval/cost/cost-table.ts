import { alignColumns } from "../table.ts";
import type { CostResult } from "./run-cost.ts";

const TOKENS_PER_MILLION = 1e6;

/** Every result as a table: a line per policy. */
export function costTables(results: readonly CostResult[]): string {
  return results.map(costTable).join("\n\n");
}

function costTable(result: CostResult): string {
  const { name, window, budget, head, prices, counter, sessions, requests, cold, cuts, rows } = result;
  const share = (value: number): string => `${(100 * value).toFixed(0)} %`;
  const header = ["", "cost", "by a model", "compactions", "sent, M", "cached", "anchors", "impossible"];
  const lines = rows.map((row) => [
    row.label,
    row.cost.toFixed(3),
    row.costWithModel?.toFixed(3) ?? "",
    String(row.compactions),
    (row.sent / TOKENS_PER_MILLION).toFixed(0),
    share(row.cached),
    row.anchors === undefined ? "" : (100 * row.anchors).toFixed(1),
    row.impossible === 0 ? "" : String(row.impossible),
  ]);
  const ttl = Number.isFinite(prices.ttlMs)
    ? `cache of ${prices.ttlMs / 60_000} min`
    : "cache that never expires";
  return [
    `${name}, window ${window} (${budget} for messages, ${head} before them): ${sessions} sessions, ${requests} requests, ${cold} of them cold, anchors at ${cuts} moments`,
    `cost as a share of sending everything; prices of ${prices.id} (read ${prices.read}, write ${prices.write}, output ${prices.output}), ${ttl}, tokens by ${counter}`,
    alignColumns([header, ...lines]),
  ].join("\n");
}
