import { expect, it } from "vitest";
import type { Divider } from "../../../src/gateway/api.ts";
import { rowsOf } from "./transcript.ts";

const divider = (after: number): Divider => ({
  after,
  checkpoint: `c${after}`,
  at: after,
  text: "",
  covers: [],
  dropped: 0,
  edited: 0,
  tokens: { before: 0, after: 0 },
  summaries: [],
});

it("finds every row both ways", () => {
  const rows = rowsOf(5, [divider(3), divider(1)]);
  expect(rows.count).toBe(7);
  const names = Array.from({ length: 7 }, (_, n) => {
    const row = rows.row(n);
    return row.type === "message" ? row.index : row.divider.checkpoint;
  });
  expect(names).toEqual([0, 1, "c1", 2, 3, "c3", 4]);
  for (const index of [0, 1, 2, 3, 4]) expect(names[rows.rowOfMessage(index)]).toBe(index);
  expect(rows.rowOfDivider("c3")).toBe(5);
});
