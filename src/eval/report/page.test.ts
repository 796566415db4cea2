import { expect, test } from "vitest";
import { type RetentionResult, retentionReport } from "../retention.ts";
import { reportPage } from "./report.ts";

const estimate = (mean: number) => ({ mean, low: mean - 0.1, high: mean + 0.1, cases: 3, sessions: 2 });

const result: RetentionResult = {
  counter: "chars/4",
  sampled: true,
  sets: [
    {
      id: "set <one>",
      type: "agent",
      cases: 3,
      sessions: 2,
      measures: [{ id: "naar", label: "NAAR", about: "names & paths", better: "higher" }],
      rows: ["5 %", "10 %"].flatMap((budget, i) =>
        ["ours", "theirs"].map((label, nth) => ({
          contestant: label,
          label,
          budget,
          tokens: 100,
          filled: 0.9,
          over: 0,
          failed: 0,
          measures: { naar: estimate(0.4 + i / 10 - nth / 5) },
        })),
      ),
      differences: [],
    },
  ],
};

test("the page needs nothing from elsewhere and follows the reader's colours", () => {
  const page = reportPage(retentionReport(result));
  expect(page).not.toMatch(/(?:src|href)=|@import|url\(|<script/);
  expect(page).toContain("prefers-color-scheme: dark");
  expect(page).toContain('name="viewport"');
});

test("names are text, never markup", () => {
  const page = reportPage(retentionReport(result));
  expect(page).toContain("set &lt;one&gt;");
  expect(page).not.toContain("<one>");
});

test("each contestant has a line through its budgets, with the interval in words", () => {
  const page = reportPage(retentionReport(result));
  const lines = [...page.matchAll(/<polyline class="c\d" points="([^"]*)"/g)].map(([, points]) => points!);
  expect(lines.map((points) => points.split(" ").length)).toEqual([2, 2]);
  expect(page).toContain("50.0 <small>[40.0, 60.0]</small>");
});
