import { expect, it } from "vitest";
import { openaiChat } from "../../apis/chat/index.ts";
import type { StoredRequest } from "../../stores/server-store.ts";
import { adviceOn } from "./advice.ts";
import { IDLE } from "./timeline.ts";

const MINUTE = 60_000;
const store = { requests: { get: async () => undefined } } as never;
/** The registry's prices of this model: 2.5 dollars for a million tokens, 1.25 from the cache, 10 for an answer. */
const row = (at: number, more: Partial<StoredRequest>): StoredRequest => ({
  ...{
    id: String(at),
    at: at * MINUTE,
    kind: "client",
    path: "/v1/chat/completions",
    status: 200,
    outcome: "view",
  },
  ...{ model: "gpt-4o", upstream: "fake", input: 80_000, tokensAfter: 80_000, ms: 0 },
  details: { settings: { budget: 100_000 } },
  ...more,
});
const cold = { reason: "cold-cache", input: 20_000, tokensAfter: 20_000 };
const summary = {
  kind: "summary",
  path: "summarize-full",
  input: 70_000,
  cacheRead: 0,
  output: 100,
} as const;
/** Twice somebody came back after ten minutes, and each time a summary read later what was hidden then. */
const rows = [
  ...[row(0, {}), row(10, cold), row(11, summary), row(12, {}), row(22, cold), row(23, summary), row(24, {})],
];
const advice = (of: readonly StoredRequest[], keptMs: number | undefined) =>
  adviceOn(store, "default", {
    rows: of.map((one) => ({ ...one, details: { ...(one.details ?? {}), cacheMs: keptMs } })),
    dialect: openaiChat,
  });

it("says what summaries ahead of time would have saved, by the requests that there were", async () => {
  // 2 × 60,000 tokens at 2.5, less 2 × (80,000 at 1.25, a question of 1,000 at 2.5, 100 at 10).
  const [words, ...others] = await advice(rows, 5 * MINUTE);
  expect(words).toContain("would have saved about $0.093 in this conversation");
  expect(words).toContain("($0.30)");
  expect(words).toContain("would have cost $0.21");
  expect(words).toContain("after the 5 minutes");
  expect(others).toEqual([]);
});

it.each([
  ["as long as nobody knows how long prompts are kept", rows, undefined],
  ["where nothing is ever kept", rows, 0],
  ["where nobody was away for so long", rows, 60 * MINUTE],
  [
    "where they are written already",
    [...rows, row(25, { ...summary, details: { cause: IDLE } })],
    5 * MINUTE,
  ],
  [
    "where another model writes them",
    rows.map((one) => (one.kind === "summary" ? { ...one, model: "gpt-4o-mini" } : one)),
    5 * MINUTE,
  ],
  ["where no summary was written behind a pause", rows.filter(({ kind }) => kind !== "summary"), 5 * MINUTE],
  [
    "where most pauses would have been paid for nothing",
    [...rows, ...[40, 60, 80, 100].map((at) => row(at, {}))],
    5 * MINUTE,
  ],
])("says nothing %s", async (_, of, keptMs) => {
  expect(await advice(of, keptMs)).toEqual([]);
});
