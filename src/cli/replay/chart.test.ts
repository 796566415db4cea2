import { expect, test } from "vitest";
import type { ReplayRequest } from "../../eval/replay/simulate.ts";
import { createPaint } from "../paint.ts";
import { chartLegend, pressureChart } from "./chart.ts";

const plain = createPaint(false);
const requests = (pressures: readonly (readonly [before: number, after?: number])[]): ReplayRequest[] =>
  pressures.map(([before, after], index) => ({
    at: index,
    tokens: 0,
    full: 0,
    tools: 0,
    budget: 0,
    pressure: { before, after: after ?? before },
    unchanged: 0,
    fullUnchanged: 0,
    answer: 0,
    time: undefined,
    compaction: after === undefined ? undefined : 0,
  }));

test("never wider than the terminal, for any number of requests", () => {
  for (const columns of [24, 40, 80, 200])
    for (const count of [1, 3, 20, 100, 2_000]) {
      const lines = pressureChart(requests(Array.from({ length: count }, () => [0.5] as const)), {
        columns,
        paint: plain,
      });
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    }
});

test("the peak before a compaction shows although many requests share a column", () => {
  const many = requests(
    Array.from(
      { length: 1_000 },
      (_, index) => (index === 500 ? [1, 0.2] : [0.2]) as readonly [number, number?],
    ),
  );
  const lines = pressureChart(many, { columns: 60, paint: plain });
  expect(lines[0]).toContain("█");
  expect(lines.at(-1)?.trim()).toBe("▲");
  expect(chartLegend(many)).toContain("▲ a compaction");
});

test("a peak far beyond the budget is cut and marked", () => {
  const lines = pressureChart(requests([[0.5], [3, 0.3], [0.5]]), { columns: 60, paint: plain });
  expect(lines[0]).toContain("↑");
  expect(lines.find((line) => line.includes("100 %"))).toContain("┤");
});

test("colours only when asked for", () => {
  const loud = pressureChart(requests([[0.95]]), { columns: 40, paint: createPaint(true) }).join("");
  expect(loud).toContain("\u001b[31m");
  expect(pressureChart(requests([[0.95]]), { columns: 40, paint: plain }).join("")).not.toContain("\u001b");
});
