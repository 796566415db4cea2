import { expect, test } from "vitest";
import type { PrefixReason, Report } from "../../core/types.ts";
import { lostCache } from "./running-request.ts";

/** Dollars for a million tokens. */
const prices = { input: 10, cacheRead: 1, cacheWrite: 12.5, output: 50 };

const reportOf = (prefixReason: PrefixReason | undefined, before = 10_000): Report =>
  ({ prefixReason, tokens: { before } }) as Report;

test("a conversation's first request loses no cache, even if it is compacted", () => {
  const usage = { input: 4_000, cacheRead: 0, output: 500 };
  const first = { report: reportOf("compaction"), usage, prices, hadRequest: false, sentBefore: undefined };
  expect(lostCache(first)).toBeUndefined();
  expect(lostCache({ ...first, hadRequest: true })).toMatchObject({ cause: "compaction" });
});

test("what is lost is what its cache would have saved: neither the answer nor what was said since", () => {
  const report = reportOf("compaction", 10_000);
  const usage = { input: 4_000, cacheRead: 0, output: 500 };
  // 1,000 of the 4,000 tokens are new since the last request, and 3,000 would have cost 1 instead of 10 for a million.
  const lost = lostCache({ report, usage, prices, hadRequest: true, sentBefore: 9_000 });
  expect(lost?.spend).toBeCloseTo((3_000 * 9) / 1e6, 9);
  // Of what the provider found in its cache nothing was lost, and what it wrote there cost more.
  const anthropic = { input: 4_000, cacheRead: 2_000, cacheWrite: 2_000, output: 500 };
  const dearer = lostCache({ report, usage: anthropic, prices, hadRequest: true, sentBefore: 10_000 });
  expect(dearer?.spend).toBeCloseTo((2_000 * 11.5) / 1e6, 9);
});

test("the cost is unknown where prices are, or what the cache held", () => {
  const report = reportOf("undo");
  const known = { report, usage: { input: 10, cacheRead: 0 }, prices, hadRequest: true, sentBefore: 0 };
  expect(lostCache({ ...known, prices: undefined })).toEqual({ cause: "undo", spend: undefined });
  expect(lostCache({ ...known, usage: { input: 10 } })).toEqual({ cause: "undo", spend: undefined });
  expect(lostCache({ ...known, report: reportOf(undefined) })).toBeUndefined();
});
