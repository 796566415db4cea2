import { expect, test } from "vitest";
import { breakEvenRequests } from "./budget.ts";

const prices = { read: 0.1, write: 1.25, output: 5, coldShare: 0 };

test("agrees with the measured break-even of recorded sessions", () => {
  const model = (view: number, landing: number) =>
    breakEvenRequests({ ...prices, view, landing, head: 15_000, cold: false, summary: 3_000 });
  expect(model(60_000, 16_000)).toBeCloseTo(9.4, 0);
  expect(model(100_000, 32_000)).toBeCloseTo(9.4, 0);
  const extractive = (view: number, landing: number) =>
    breakEvenRequests({ ...prices, view, landing, head: 15_000, cold: false, summary: 0 });
  expect(extractive(40_000, 16_000)).toBeCloseTo(7.7, 1);
  expect(extractive(100_000, 32_000)).toBeCloseTo(5.4, 1);
});

test("on a cold cache a compaction without a model pays at once", () => {
  expect(
    breakEvenRequests({ ...prices, view: 60_000, landing: 16_000, head: 0, cold: true, summary: 0 }),
  ).toBe(0);
});

test("what saves nothing never pays", () => {
  expect(breakEvenRequests({ ...prices, view: 100, landing: 100, head: 0, cold: true, summary: 0 })).toBe(
    Number.POSITIVE_INFINITY,
  );
});
