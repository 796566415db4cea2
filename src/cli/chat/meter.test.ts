import { expect, test } from "vitest";
import { createPaint } from "../io.ts";
import { type MeterFacts, meterLine } from "./screen.ts";

const facts = (pressure: number, level: "green" | "yellow" | "red"): MeterFacts => ({
  pressure: {
    pressure,
    tokens: Math.round(6_963 * pressure),
    level,
    startsAt: 0.8,
    budget: { window: 8_192, reserve: 0, tools: 0, safety: 0, budget: 6_963, head: 0, room: 6_963 },
  },
  model: "gpt-4o",
  auto: true,
});
const plain = createPaint(false);

test("tokens, budget and share, then what there is room for", () => {
  expect(meterLine(facts(0.18, "green"), 80, plain)).toBe(
    "Tokens: 1,253 / 6,963 (18 %) · gpt-4o · compacts at 80 %",
  );
  expect(meterLine(facts(0.18, "green"), 40, plain)).toBe("Tokens: 1,253 / 6,963 (18 %) · gpt-4o");
  expect(meterLine(facts(0.18, "green"), 24, plain)).toBe("1.3k/7k 18 % · gpt-4o");
  expect(meterLine({ ...facts(0.18, "green"), auto: false }, 80, plain)).toContain("only on request");
});

test("where everything is pinned, no compaction is foretold", () => {
  const { pressure, ...rest } = facts(0.9, "red");
  const line = meterLine({ ...rest, pressure: { ...pressure, isAllPinned: true } }, 80, plain);
  expect(line).toBe("Tokens: 6,267 / 6,963 (90 %) · gpt-4o · can't compact: everything is pinned");
});

test.each([
  ["green", "\u001b[32m"],
  ["yellow", "\u001b[33m"],
  ["red", "\u001b[31m"],
] as const)("the server's level %s has its colour", (level, code) => {
  expect(meterLine(facts(0.5, level), 80, createPaint(true))).toContain(`${code}Tokens:`);
});
