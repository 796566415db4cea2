/** The host says how many of the newest messages stay: the number holds up to the budget, and where it can't, the report says so. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor, profiles } from "../../src/index.ts";

const talk = (length: number, words: number): ChatMessage[] =>
  Array.from({ length }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `Message ${n}: ${`leeks ${n} and beans `.repeat(words)}`,
  })) as ChatMessage[];

/** Messages at the end of a view that are the transcript's own. */
function kept(messages: readonly ChatMessage[], transcript: readonly ChatMessage[]): number {
  let count = 0;
  while (count < messages.length && messages.at(-1 - count) === transcript.at(-1 - count)) count++;
  return count;
}

it("twenty messages are kept in a window of 32k", async () => {
  const transcript = talk(81, 80);
  const compactor = createCompactor({ dialect: openaiChat, window: 32_000, tail: { messages: 20 } });
  const { messages, report } = await compactor.fit(transcript);
  expect(report.outcome).toBe("compacted");
  expect(kept(messages, transcript)).toBe(20);
  expect(report.warnings).toEqual([]);
  expect(JSON.stringify(messages)).toContain("<conversation-summary>");
});

it("a compaction by hand keeps the profile's number, too", async () => {
  const transcript = talk(31, 80);
  const compactor = createCompactor({ dialect: openaiChat, window: 32_000, profile: profiles.editor });
  const { messages, report } = await compactor.compact(transcript);
  expect(report.outcome).toBe("compacted");
  expect(kept(messages, transcript)).toBe(10);
});

it("where so many don't fit the budget, the report says how many are kept and why", async () => {
  const transcript = talk(61, 300);
  const compactor = createCompactor({ dialect: openaiChat, window: 32_000, tail: { messages: 40 } });
  const { messages, report } = await compactor.fit(transcript);
  const count = kept(messages, transcript);
  expect(count).toBeGreaterThan(5);
  expect(report.warnings).toEqual([
    {
      code: "tail-shortened",
      message: expect.stringContaining(`newest ${count} messages are kept, although \`tail\` asks for 40`),
    },
  ]);
});
