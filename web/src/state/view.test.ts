import { expect, it } from "vitest";
import type { ViewEntry } from "../../../src/gateway/api.ts";
import { alignView, originalTokens, tally } from "./view.ts";

const keep = (index: number): ViewEntry => ({ type: "keep", index, role: "user", tokens: 5, why: "tail" });
const insert = (from: number, to: number): ViewEntry => ({
  type: "insert",
  role: "user",
  tokens: 9,
  text: "summary",
  covers: [{ from, to }],
  originals: Array.from({ length: to - from }, (_, n) => from + n),
});

it("puts a summary behind the last message that it covers, and folds what it hides", () => {
  const entries = [keep(0), insert(1, 8), keep(8), keep(9)];
  expect(alignView({ entries, system: 0 }, new Set()).map((row) => row.type)).toEqual([
    "message",
    "run",
    "insert",
    "message",
    "message",
  ]);
  const opened = alignView({ entries, system: 0 }, new Set([1]));
  expect(opened.filter((row) => row.type === "message")).toHaveLength(10);
});

it("shows a kept message inside a covered run where it stands", () => {
  const rows = alignView({ entries: [keep(2), insert(0, 5), keep(5)], system: 0 }, new Set());
  const order = rows.map((row) => (row.type === "message" ? row.index : row.type));
  expect(order).toEqual([0, 1, 2, 3, 4, "insert", 5]);
});

it("counts every message once", () => {
  const entries: ViewEntry[] = [
    keep(2),
    insert(0, 5),
    { type: "drop", index: 5, role: "tool", tokens: 3, reason: "orphan" },
    keep(6),
  ];
  const counts = Object.entries(tally({ entries })).map(([fate, { messages }]) => [fate, messages]);
  expect(Object.fromEntries(counts)).toEqual({ kept: 2, edited: 0, covered: 4, dropped: 1 });
  expect(tally({ entries }).dropped.tokens).toBe(3);
});

it("what its rows have on the left is the whole transcript, folded or not, with a system prompt that stands apart", () => {
  const view = { entries: [keep(2), insert(0, 9), keep(9)], system: 7 };
  const left = (opened: ReadonlySet<number>) =>
    alignView(view, opened).reduce(
      (sum, row) =>
        sum + (row.type === "insert" ? 0 : row.type === "message" ? originalTokens(row.lot) : row.tokens),
      0,
    );
  const covered = [0, 1, 3, 4, 5, 6, 7, 8].reduce((sum, one) => sum + one);
  expect(left(new Set())).toBe(7 + 5 + covered + 5);
  expect(left(new Set([3]))).toBe(left(new Set()));
});
