import { expect, test } from "vitest";
import { bestTrade, type Trade } from "./best-trade.ts";

const trade = (keeps: number, costs: number, isPossible = true, strategy = "drop-all"): Trade => ({
  keeps,
  costs,
  isPossible,
  strategy,
});

test("of those that keep nearly as much as any, the cheapest", () => {
  const trades = [trade(0.9, 100), trade(0.87, 60), trade(0.4, 10)];
  expect(bestTrade(trades)).toBe(trades[1]);
});

test("the default wins where another is cheaper by next to nothing, and not otherwise", () => {
  const usual = trade(0.9, 100, true, "summarize-oldest");
  expect(bestTrade([trade(0.9, 98), usual])).toBe(usual);
  const cheap = trade(0.9, 80);
  expect(bestTrade([usual, cheap])).toBe(cheap);
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
