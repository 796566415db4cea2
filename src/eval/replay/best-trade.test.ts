import { expect, test } from "vitest";
import { bestTrade, type Trade } from "./best-trade.ts";

const trade = (keeps: number, costs: number, isPossible = true): Trade => ({ keeps, costs, isPossible });

test("of those that keep nearly as much as any, the cheapest", () => {
  const trades = [trade(0.9, 100), trade(0.87, 60), trade(0.4, 10)];
  expect(bestTrade(trades)).toBe(trades[1]);
});

test("one that can't be made to fit is none", () => {
  const trades = [trade(1, 10, false), trade(0.5, 60)];
  expect(bestTrade(trades)).toBe(trades[1]);
  expect(bestTrade([trade(1, 10, false), trade(1, 10, false)])).toBeUndefined();
});

test("no trade is best where all come to the same, or there is only one", () => {
  expect(bestTrade([trade(1, 500), trade(1, 500), trade(1, 500)])).toBeUndefined();
  expect(bestTrade([trade(1, 500)])).toBeUndefined();
  expect(bestTrade([])).toBeUndefined();
});
