import { expect, test } from "vitest";
import type { Replay, ReplayRequest } from "../../eval/replay/simulate.ts";
import { createPaint } from "../io.ts";
import { reportText } from "../report-text.ts";
import { type Compared, comparedBlocks, comparedOf } from "./report.ts";

/** The comparison in a terminal. */
const shown = (lines: readonly Compared[], chosen: string, columns: number): string =>
  reportText(
    { kind: "precis replay", title: "A", facts: ["B"], blocks: comparedBlocks(lines, chosen) },
    { columns, paint: createPaint(false) },
  );

const PRICES = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

const request = (tokens: number, full: number, unchanged: number): ReplayRequest => ({
  at: 1,
  tokens,
  full,
  tools: 0,
  budget: 1_000,
  pressure: { before: 0, after: 0 },
  unchanged,
  isCold: false,
  usage: { input: tokens, cacheRead: unchanged, cacheWrite: tokens - unchanged, output: 10 },
  time: undefined,
  compaction: undefined,
});
const replay = (requests: ReplayRequest[]): Replay => ({
  requests,
  answered: requests.map(({ tokens, full, usage }) => ({
    report: {
      tokens: { transcript: full, before: full, after: tokens },
      budget: { tools: 0 },
      prefixReason: undefined,
      recalled: [],
      checkpoint: undefined,
      cost: 0,
    },
    usage,
  })),
  compactions: [],
  impossible: [],
  every: 1,
  budget: undefined,
});

const LINES: readonly Compared[] = comparedOf(
  [
    { strategy: "summarize-oldest", replay: replay([request(500, 500, 0), request(600, 1_200, 500)]) },
    { strategy: "truncate-oldest", replay: replay([request(500, 500, 0), request(600, 1_200, 0)]) },
  ],
  PRICES,
);

test("each strategy beside sending everything; what is read from the cache costs less", () => {
  expect(LINES.map(({ strategy }) => strategy)).toEqual([
    "everything",
    "summarize-oldest",
    "truncate-oldest",
  ]);
  const [everything, kept, recut] = LINES;
  expect(kept!.cost).toBeLessThan(recut!.cost);
  expect(everything?.impossible).toBe(1);
  expect(everything?.sent).toBe(1_700);
});

test("what survives stands beside the cost, and the best trade is explained in a sentence", () => {
  const survival = (kept: number) => ({ survival: { items: 100, kept } });
  const first = replay([request(500, 500, 0), request(600, 1_200, 500)]);
  const dear = replay([request(500, 500, 0), request(600, 1_200, 0)]);
  const cheap = replay([request(100, 500, 0), request(100, 1_200, 100)]);
  const lines = comparedOf(
    [
      // Nearly as much as the best one for less; the cheapest forgets too much.
      { strategy: "summarize-oldest", replay: { ...first, ...survival(80) } },
      { strategy: "summarize-middle", replay: { ...dear, ...survival(82) } },
      { strategy: "drop-all", replay: { ...cheap, ...survival(20) } },
    ],
    PRICES,
  );
  const text = shown(lines, "drop-all", 100).replaceAll("\n", " ");
  expect(text).toMatch(/strategy +survives +sent/);
  expect(text).toContain(
    "Best trade: Summarise oldest (summarize-oldest). It keeps 80.0 % of the key details",
  );
  expect(text).toContain("the maximum is 82.0 %");
  // A judge knows better than a count of names.
  const known = lines.map((line) => ({ ...line, ...(line.strategy === "drop-all" && { knows: 0.9 }) }));
  const judged = shown(known, "drop-all", 100).replaceAll("\n", " ");
  expect(judged).toMatch(/strategy +knows +survives +sent/);
  expect(judged).toContain("Best trade: Keep only the last message (drop-all). Its reader knows 90.0 %");
  const report = JSON.stringify(comparedBlocks(lines, "drop-all"));
  expect(report.match(/\(best trade\)/g)).toHaveLength(1);
  expect(report).toContain("Best trade: Summarise oldest (summarize-oldest).");
});

test("the table fits the terminal, marks the chosen strategy and says what doesn't fit", () => {
  for (const columns of [40, 80, 120]) {
    const text = shown(LINES, "summarize-oldest", columns);
    expect(text).toContain("▸ summarize-oldest");
    expect(text.replaceAll("\n", " ")).toContain("1 requests no longer fit");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
  }
});

test("the page has a row and a bar for each", () => {
  const [, table] = comparedBlocks(LINES, "summarize-oldest");
  const rows = table?.is === "table" ? table.rows : [];
  expect(rows.map((row) => row.at(-1))).toEqual(
    LINES.map(() => ({ text: expect.any(String), fill: expect.any(Number) })),
  );
  expect(JSON.stringify(rows)).toContain("▸ summarize-oldest");
  expect(comparedBlocks([], "x")).toEqual([]);
});
