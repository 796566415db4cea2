import { describe, expect, test } from "vitest";
import { budgetOf, landing, startPressure } from "./budget.ts";
import { contentHash } from "./hash.ts";

const base = { window: 100_000, budget: undefined, reserve: undefined, safety: undefined, tools: 0, head: 0 };

describe("budget", () => {
  test("window − reserve − tools − safety, and room below it", () => {
    expect(budgetOf({ ...base, tools: 5_000, head: 1_000 })).toEqual({
      window: 100_000,
      reserve: 8_192,
      tools: 5_000,
      safety: 2_000,
      budget: 84_808,
      head: 1_000,
      room: 83_808,
    });
  });

  test("a target above the window never wins", () => {
    expect(budgetOf({ ...base, window: 8_000, budget: 50_000 }).budget).toBe(8_000 - 1_000 - 160);
  });

  test("without a window nothing is subtracted", () => {
    expect(budgetOf({ ...base, window: undefined, budget: 5_000, tools: 4_000 }).budget).toBe(5_000);
  });

  test("tools that leave nothing are refused with the numbers and the fix", () => {
    expect(() => budgetOf({ ...base, window: 8_192, tools: 9_000 })).toThrow(
      /9000 \(tools\).*fewer or smaller tools/s,
    );
  });
});

test("landing grows from 0.3 to 0.4 of room and never passes half", () => {
  expect(landing(20_000, undefined)).toBe(6_000);
  expect(landing(72_500, undefined)).toBe(Math.floor(72_500 * 0.35));
  expect(landing(400_000, undefined)).toBe(160_000);
  expect(landing(10_000, 9_000)).toBe(5_000);
});

test("the start is spread over 0.78–0.82 by conversation, and late for small budgets without a model", () => {
  const at = (name: string) =>
    startPressure({ startAt: undefined, budget: 50_000, model: false, conversation: contentHash(name) });
  const starts = Array.from({ length: 200 }, (_, n) => at(`${n}`));
  expect(Math.min(...starts)).toBeGreaterThanOrEqual(0.78);
  expect(Math.max(...starts)).toBeLessThanOrEqual(0.82);
  expect(Math.max(...starts) - Math.min(...starts)).toBeGreaterThan(0.03);
  const small = { startAt: undefined, budget: 8_000, conversation: contentHash("x") };
  expect(startPressure({ ...small, model: false })).toBe(0.95);
  expect(startPressure({ ...small, model: true })).toBeLessThan(0.83);
});
