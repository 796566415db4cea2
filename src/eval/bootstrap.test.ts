import { expect, test } from "vitest";
import { estimate, pairedDifference } from "./bootstrap.ts";

const at = (session: string, sum: number, weight = 1) => ({ session, sum, weight });

test("the mean is the sum over the weight", () => {
  expect(estimate([at("a", 1, 4), at("b", 3, 4)])?.mean).toBeCloseTo(0.5);
});

test("no observations, no estimate", () => {
  expect(estimate([])).toBeUndefined();
});

test("sessions are resampled, not cases: many cases of one session give no certainty", () => {
  const one = estimate(Array.from({ length: 50 }, (_, i) => at("a", i % 2)));
  expect(one).toMatchObject({ low: 0.5, high: 0.5, cases: 50, sessions: 1 });
  const many = estimate(Array.from({ length: 50 }, (_, i) => at(`s${i}`, i % 2)))!;
  expect(many.low).toBeGreaterThan(0.3);
  expect(many.low).toBeLessThan(0.42);
  expect(many.high).toBeGreaterThan(0.58);
  expect(many.high).toBeLessThan(0.7);
});

test("the same observations give the same interval", () => {
  const observations = Array.from({ length: 20 }, (_, i) => at(`s${i}`, Math.sin(i) ** 2));
  expect(estimate(observations)).toEqual(estimate(observations));
});

test("a paired difference is tighter than its sides", () => {
  const a = Array.from({ length: 30 }, (_, i) => at(`s${i}`, (i % 10) / 10 + 0.05));
  const b = Array.from({ length: 30 }, (_, i) => at(`s${29 - i}`, ((29 - i) % 10) / 10));
  const difference = pairedDifference(a, b)!;
  expect(difference.mean).toBeCloseTo(0.05);
  expect(difference.high - difference.low).toBeLessThan(1e-9);
});

test("sessions that only one side has are left out", () => {
  expect(pairedDifference([at("a", 1), at("b", 0)], [at("a", 0.5)])).toMatchObject({
    mean: 0.5,
    sessions: 1,
  });
  expect(pairedDifference([at("a", 1)], [at("b", 1)])).toBeUndefined();
});
