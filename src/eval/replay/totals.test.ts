import { expect, test } from "vitest";
import type { Replay, ReplayRequest } from "./simulate.ts";
import { totalsOf } from "./totals.ts";

const request = (fields: Partial<ReplayRequest>): ReplayRequest => ({
  at: 1,
  tokens: 100,
  full: 100,
  tools: 10,
  budget: 250,
  pressure: { before: 0.4, after: 0.4 },
  unchanged: 0,
  fullUnchanged: 0,
  answer: 5,
  time: undefined,
  compaction: undefined,
  ...fields,
});
const MINUTE = 60_000;
const replay: Replay = {
  requests: [
    request({ time: 0 }),
    request({ tokens: 200, full: 200, unchanged: 100, fullUnchanged: 100, time: MINUTE }),
    request({ tokens: 80, full: 300, unchanged: 0, fullUnchanged: 200, time: 10 * MINUTE }),
  ],
  compactions: [],
  impossible: [],
  every: 1,
  budget: undefined,
};

test("sums, shares and the first request that is too long", () => {
  expect(totalsOf(replay)).toMatchObject({
    requests: 3,
    sent: 410,
    sentWithout: 630,
    unchanged: (100 + 10 + 10) / 410,
    largest: 200,
    firstTooLong: 2,
    cold: 1,
    cost: undefined,
  });
});

test("cost: what is warm is read, the rest is written, a cold cache is written whole", () => {
  const prices = { input: 1, cacheRead: 1, cacheWrite: 10, output: 100 };
  const { cost } = totalsOf(replay, prices);
  // with: written 110, then read 110 and written 100, then (cold) written 90
  expect(cost?.with.cacheRead).toBeCloseTo(110 / 1e6, 12);
  expect(cost?.with.cacheWrite).toBeCloseTo(((110 + 100 + 90) * 10) / 1e6, 12);
  expect(cost?.without.cacheWrite).toBeCloseTo(((110 + 100 + 310) * 10) / 1e6, 12);
  expect(cost?.with.output).toBeCloseTo((15 * 100) / 1e6, 12);
  expect(cost?.with.total).toBeCloseTo((110 + 3_000 + 1_500) / 1e6, 12);
});

test("no request, no division by zero", () => {
  expect(
    totalsOf({ requests: [], compactions: [], impossible: [], every: 1, budget: undefined }),
  ).toMatchObject({
    requests: 0,
    unchanged: 0,
    largest: 0,
  });
});
