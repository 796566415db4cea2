import { expect, test } from "vitest";
import type { Usage } from "../../core/types.ts";
import { compactionReceipts } from "../../tokens/index.ts";
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
  isCold: false,
  usage: { input: 110, cacheRead: 0, cacheWrite: 110, output: 5 },
  time: undefined,
  compaction: undefined,
  ...fields,
});
const replay: Replay = {
  requests: [
    request({}),
    request({ tokens: 200, full: 200, unchanged: 100 }),
    request({ tokens: 80, full: 300, unchanged: 0, isCold: true }),
  ],
  answered: [],
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

test("without precis it would have been the net more, as receipts work it out", () => {
  const prices = { input: 1, cacheRead: 1, cacheWrite: 10, output: 100 };
  const answer = (tokens: { before: number; after: number }, more: object, usage: object) => ({
    report: {
      tokens: { transcript: 4_000, ...tokens },
      budget: { tools: 0 },
      recalled: [],
      cost: 0,
      ...more,
    },
    usage: { output: 5, ...usage } as Usage,
  });
  const compacted = { prefixReason: "compaction", checkpoint: "a" };
  const answered = [
    answer({ before: 4_000, after: 4_000 }, {}, { input: 4_000, cacheRead: 0, cacheWrite: 4_000 }),
    answer({ before: 4_000, after: 1_000 }, compacted, { input: 1_000, cacheRead: 0, cacheWrite: 1_000 }),
  ] as unknown as Replay["answered"];
  const { cost } = totalsOf({ ...replay, answered }, prices);
  expect(cost?.with.total).toBeCloseTo((50_000 + 1_000) / 1e6, 12);
  // The whole transcript would have been read from the cache: 3,000 tokens more, but the 1,000 wouldn't have been written anew.
  expect(cost?.without.total).toBeCloseTo((50_000 + 1_000 + 3_000 - 9_000) / 1e6, 12);
  const { net } = compactionReceipts(answered, { prices });
  expect(cost!.without.total - cost!.with.total).toBeCloseTo(net, 12);
});

test("no request, no division by zero", () => {
  expect(
    totalsOf({ requests: [], answered: [], compactions: [], impossible: [], every: 1, budget: undefined }),
  ).toMatchObject({
    requests: 0,
    unchanged: 0,
    largest: 0,
  });
});
