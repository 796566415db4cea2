import { expect, it } from "vitest";
import type { ViewEntry } from "../../../src/gateway/api.ts";
import { alignView, tally } from "./view.ts";

const keep = (index: number): ViewEntry => ({ type: "keep", index, role: "user", tokens: 5, why: "tail" });
const insert = (from: number, to: number): ViewEntry => ({
  type: "insert",
  role: "user",
  tokens: 9,
  text: "summary",
  covers: [{ from, to }],
});

it("puts a summary behind the last message that it covers, and folds what it hides", () => {
  const entries = [keep(0), insert(1, 8), keep(8), keep(9)];
  expect(alignView({ entries }, new Set()).map((row) => row.type)).toEqual([
    "message",
    "run",
    "insert",
    "message",
    "message",
  ]);
  const opened = alignView({ entries }, new Set([1]));
  expect(opened.filter((row) => row.type === "message")).toHaveLength(10);
});

it("shows a kept message inside a covered run where it stands", () => {
  const rows = alignView({ entries: [keep(2), insert(0, 5), keep(5)] }, new Set());
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
  expect(tally({ entries })).toEqual({ kept: 2, edited: 0, covered: 4, dropped: 1 });
});
