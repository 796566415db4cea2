import { expect, test } from "vitest";
import type { Chart } from "../eval/report/report.ts";
import { createPaint } from "./io.ts";
import { reportText } from "./report-text.ts";

const plain = createPaint(false);
const drawn = (
  points: Chart["lines"][number]["points"],
  more: Partial<Chart> = {},
  columns = 60,
  paint = plain,
) =>
  reportText(
    {
      kind: "precis replay",
      title: "A",
      facts: ["B"],
      blocks: [
        {
          is: "chart",
          title: "Tokens",
          lines: [{ label: "view", points }],
          limits: [1],
          ends: ["1", "2"],
          top: 1,
          format: String,
          ...more,
        },
      ],
    },
    { columns, paint },
  ).split("\n");

test("never wider than the terminal, for any number of points", () => {
  for (const columns of [24, 40, 80, 200])
    for (const count of [1, 3, 20, 100, 2_000]) {
      const points = Array.from({ length: count }, (_, at) => [at, 0.5] as const);
      for (const line of drawn(points, {}, columns)) expect(line.length).toBeLessThanOrEqual(columns);
    }
});

test("the peak before a compaction shows although many requests share a column", () => {
  const points = Array.from({ length: 1_000 }, (_, at) =>
    at === 500
      ? [
          [at, 1],
          [at, 0.2],
        ]
      : [[at, 0.2]],
  ).flat() as [number, number][];
  const lines = drawn(points, { marks: [{ x: 500, label: "one" }] });
  expect(lines[3]).toContain("█");
  expect(lines.map((line) => line.trim())).toContain("▲");
  expect(lines.join("\n")).toContain("▲ compacted");
});

test("a peak far beyond the limit is cut and marked", () => {
  const lines = drawn(
    [
      [0, 0.5],
      [1, 3],
      [1, 0.3],
      [2, 0.5],
    ],
    { top: 1.25 },
  );
  expect(lines[3]).toContain("↑");
  expect(lines.join("\n")).toMatch(/ 1 ┤/);
});

test("colours only when asked for", () => {
  expect(drawn([[0, 0.95]], {}, 40, createPaint(true)).join("")).toContain("\u001b[31m");
  expect(drawn([[0, 0.95]]).join("")).not.toContain("\u001b");
});
