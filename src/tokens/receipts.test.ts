import { expect, test } from "vitest";
import { ConfigError } from "../core/errors.ts";
import type { PrefixReason, Usage } from "../core/types.ts";
import { savingOf } from "./billing.ts";
import { compactionReceipts, type ReceiptItem, receiptsOf } from "./receipts.ts";

/** Dollars for a million tokens. */
const prices = { input: 10, cacheRead: 1, cacheWrite: 12.5, output: 50 };

const saving = (usage: Usage, more: Partial<Parameters<typeof savingOf>[0]> = {}) =>
  savingOf({ usage, prices, hidden: 0, fresh: 0, changed: undefined, isWarm: true, ...more });

test("what a cache loses is what it would have saved: neither the answer nor what was said since", () => {
  const changed: PrefixReason = "compaction";
  // 1,000 of the 4,000 tokens are new since the last request, and 3,000 would have cost 1 instead of 10 for a million.
  const automatic = saving({ input: 4_000, cacheRead: 0, output: 500 }, { changed, fresh: 1_000 });
  expect(automatic.rewritten).toBeCloseTo((3_000 * 9) / 1e6, 9);
  // Of what the provider found in its cache nothing was lost, and what it wrote there cost more.
  const marked = saving({ input: 4_000, cacheRead: 2_000, cacheWrite: 2_000, output: 500 }, { changed });
  expect(marked.rewritten).toBeCloseTo((2_000 * 11.5) / 1e6, 9);
  // A cold cache had nothing to lose.
  expect(saving({ input: 4_000, cacheRead: 0 }, { changed, isWarm: false }).rewritten).toBe(0);
  expect(saving({ input: 4_000 }, { changed }).rewritten).toBe(0);
});

test("what isn't sent would have been read where the cache was warm, and written where it was cold", () => {
  const hidden = 10_000;
  expect(saving({ input: 5_000, cacheRead: 4_096 }, { hidden }).saved).toBeCloseTo(0.01, 9);
  expect(saving({ input: 5_000, cacheRead: 0 }, { hidden }).saved).toBeCloseTo(0.1, 9);
  expect(saving({ input: 5_000, cacheRead: 0, cacheWrite: 5_000 }, { hidden }).saved).toBeCloseTo(0.125, 9);
  expect(saving({ input: 5_000, cacheRead: 0 }, { hidden, changed: "compaction" }).saved).toBeCloseTo(
    0.01,
    9,
  );
  // A system prompt that changes every time loses the cache of the whole transcript, too.
  expect(saving({ input: 5_000, cacheRead: 0 }, { hidden, changed: "system" }).saved).toBeCloseTo(0.1, 9);
});

const request = (id: string, more: Omit<ReceiptItem, "id">): ReceiptItem => ({ id, spend: 1, ...more });
const summary = (id: string, spend: number, cause: string) => ({ id, isSummary: true, spend, cause });

test("each compaction bears its own costs and gets its own share of what is saved", () => {
  const { compactions, spend, net } = receiptsOf([
    request("1", { hidden: 0, saved: 0 }),
    summary("2", 0.5, "1"),
    request("3", { checkpoint: "a", hidden: 100, saved: 1, rewritten: 1 }),
    request("4", { checkpoint: "a", hidden: 100, saved: 1 }),
    // 20 tokens of it were quoted.
    request("5", { checkpoint: "a", hidden: 80, saved: 0.8, isQuoting: true }),
    request("6", { checkpoint: "b", hidden: 300, saved: 3, rewritten: 1 }),
    summary("7", 3, "6"),
    request("8", { checkpoint: "b", hidden: 300, saved: 3, repeated: [{ checkpoint: "b", text: "read a" }] }),
  ]);
  const [a, b] = compactions;
  expect(a).toMatchObject({
    request: "3",
    requests: 5,
    tokens: 480,
    summaries: 0.5,
    rewritten: 1,
    paidAfter: 2,
  });
  expect(a!.saved).toBeCloseTo(5, 9);
  expect(a!.quotations).toBeCloseTo(0.2, 9);
  expect(a!.net).toBeCloseTo(3.3, 9);
  // Paid at once, it seemed; its summary came afterwards.
  expect(b).toMatchObject({ request: "6", requests: 2, tokens: 400, summaries: 3, repeated: ["read a"] });
  expect(b).toMatchObject({ net: 0, paidAfter: 2 });
  expect(spend).toBeCloseTo(9.5, 9);
  expect(net).toBeCloseTo(a!.net + b!.net, 9);
});

test("tokens that a provider counts otherwise than before are no quotation", () => {
  const [one] = receiptsOf([
    request("1", { checkpoint: "a", hidden: 100, saved: 1 }),
    request("2", { checkpoint: "a", hidden: 98, saved: 0.98 }),
  ]).compactions;
  expect(one).toMatchObject({ quotations: 0, tokens: 198 });
  expect(one!.net).toBeCloseTo(1.98, 9);
});

test("a request without the compaction isn't one of those that it saved something in", () => {
  const { compactions } = receiptsOf([
    request("1", { checkpoint: "a", hidden: 100, saved: 1 }),
    request("2", {}),
    request("3", { checkpoint: "a", hidden: 100, saved: undefined }),
    request("4", { checkpoint: "b", hidden: 50, saved: 1 }),
  ]);
  expect(compactions[0]).toMatchObject({ requests: 2, unpriced: 1, tokens: 200, saved: 1 });
  // It hides less than the one before: that was taken back.
  expect(compactions[1]).toMatchObject({ requests: 1, tokens: 50, saved: 1 });
});

const tokens = { transcript: 500, before: 500, after: 500 };
const answer = {
  report: { tokens, budget: { tools: 0 }, recalled: [], cost: 0 },
  usage: { input: 500, output: 9 },
  at: 1,
};

test.each([
  ["answered", undefined, {}],
  ["answered[0]", [5], {}],
  ["answered[0].usage", [{ ...answer, usage: { prompt_tokens: 5 } }], {}],
  ["answered[0].usage", [{ ...answer, usage: { input_tokens: 5 } }], {}],
  ["answered[0].usage", [{ ...answer, usage: undefined }], {}],
  ["answered[0].usage.input", [{ ...answer, usage: { output: 5 } }], {}],
  ["answered[0].usage.cacheRead", [{ ...answer, usage: { input: 5, cacheRead: -1 } }], {}],
  ["answered[1].report.tokens.transcript", [answer, { ...answer, report: {} }], {}],
  ["answered[0].report.tokens.transcript", [{ ...answer, report: undefined }], {}],
  ["answered[0].at", [{ ...answer, at: -1 }], {}],
  ["modle", [answer], { modle: "gpt-4o" }],
  ["cacheTtlMs", [answer], { cacheTtlMs: -1 }],
  ["prices.cacheRead", [answer], { prices: { input: 1 } }],
  ["prices.input", [answer], { prices: { ...prices, input: "1" } }],
])("receipts refuse a bad `%s`", (option, answered, options) => {
  const receipts = () => compactionReceipts(answered as never, options as never);
  expect(receipts).toThrow(ConfigError);
  expect(receipts).toThrow(`option \`${option}\``);
});

test("what a host keeps beside an answer is no mistake", () => {
  const kept = JSON.parse(JSON.stringify({ ...answer, id: "mine", model: "gpt-4o" }));
  expect(compactionReceipts([kept]).spend).toBeGreaterThan(0);
});
