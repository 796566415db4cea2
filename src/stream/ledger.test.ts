import { expect, test } from "vitest";
import { createLedger } from "./ledger.ts";
import type { TurnItem } from "./types.ts";

const turn = (text: string): TurnItem => ({ type: "turn", role: "user", text, at: 0 });

test("keeping ranges cuts the items at their borders, again and again", () => {
  const ledger = createLedger();
  for (const text of ["a", "b", "c"]) ledger.add(turn(text), 10);
  ledger.keep([
    { from: 0, to: 10 },
    { from: 15, to: 30 },
  ]);
  const seen = () =>
    ledger.entries().map(({ item, from, to }) => `${item.type === "turn" ? item.text : ""}${from}-${to}`);
  expect(seen()).toEqual(["a0-10", "b5-10", "c0-10"]);
  expect(ledger.length).toBe(25);
  ledger.keep([{ from: 12, to: 25 }]);
  expect(seen()).toEqual(["b7-10", "c0-10"]);
  expect(ledger.length).toBe(13);
  ledger.clear();
  expect([ledger.length, ledger.last]).toEqual([0, undefined]);
});
