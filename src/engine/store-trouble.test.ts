import { afterEach, expect, test, vi } from "vitest";
import { type ChatMessage, openaiChat } from "../apis/index.ts";
import type { Store } from "../core/types.ts";
import { charsCounter } from "../tokens/index.ts";
import { createCompactor } from "./create-compactor.ts";

const transcript: ChatMessage[] = Array.from({ length: 41 }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `Message ${index}: the harbour crane at berth ${index} lifts ${index * 3} tonnes at most.`,
}));

afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});
const broken = () => Promise.reject(new Error("the disk is gone"));

test("a store that never answers holds no conversation: the view comes, and the report says so", async () => {
  vi.useFakeTimers();
  const store: Store = { find: never, save: never };
  // Counting by characters loads nothing, so that only the clock has to move.
  const counter = charsCounter();
  const fitting = createCompactor({ dialect: openaiChat, budget: 400, counter, store }).fit(transcript);
  await vi.advanceTimersByTimeAsync(60_000);
  const { report, messages } = await fitting;
  expect(report.outcome).toBe("compacted");
  expect(messages.length).toBeLessThan(transcript.length);
  expect(report.warnings.filter((one) => one.code === "store-failed").map((one) => one.message)).toEqual([
    expect.stringMatching(/could not read: it didn't answer within 10 seconds/),
    expect.stringMatching(/could not save: it didn't answer within 10 seconds/),
  ]);
});

test("a store that rejects is reported, and the next view stands on what memory holds", async () => {
  const compactor = createCompactor({
    dialect: openaiChat,
    budget: 400,
    store: { find: broken, save: broken },
  });
  const first = await compactor.fit(transcript);
  expect(first.report.warnings.map((one) => one.message).join()).toContain("the disk is gone");
  const second = await compactor.fit(transcript);
  expect(second.report.outcome).toBe("view");
  expect(second.messages).toEqual(first.messages);
});

test.each([
  ["nothing", undefined, /`find` must resolve to/],
  ["no undos", { checkpoints: [], summaries: [] }, /`find` must resolve to/],
  ["nulls", { checkpoints: [null, {}], summaries: [undefined, {}], undos: [null] }, /5 of the records/],
])("a store that finds %s is reported, and the view is made without it", async (_, found, words) => {
  const store = { find: async () => found, save: async () => undefined } as unknown as Store;
  const compactor = createCompactor({ dialect: openaiChat, budget: 400, store });
  const { report, messages } = await compactor.fit(transcript);
  expect(report.outcome).toBe("compacted");
  expect(messages.length).toBeLessThan(transcript.length);
  expect(report.warnings.map(({ message }) => message)).toEqual([expect.stringMatching(words)]);
});
