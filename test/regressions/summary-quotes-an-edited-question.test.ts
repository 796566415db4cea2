/**
 * A model's summary may be made from the newest question, too, which every view shows. Once the user words that question anew, a summary
 * that tells of the old one is stale.
 */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Compactor, CompactorOptions, Model } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";

const said = (role: "user" | "assistant", content: string): ChatMessage => ({ role, content });
const talk = Array.from({ length: 40 }, (_, n) =>
  said(
    n % 2 === 0 ? "user" : "assistant",
    `Part ${n}: the shelf ${n * 3} holds box ${n * 5}, ${"and more ".repeat(20)}`,
  ),
);
const before = [...talk, said("user", "What became of ZEBRA-1?")];
const after = [...talk, said("user", "What became of the boxes?")];

/** Says whether it read of the zebra. */
const model: Model = {
  id: "teller",
  window: 100_000,
  async complete({ messages }) {
    const read = /ZEBRA-\d/.exec(messages[0]!.text)?.[0] ?? "nothing else";
    const text = `The user and the assistant went through the shelves and boxes one by one, and ${read} came up at the end.`;
    return { text: `<conversation-summary>${text}</conversation-summary>`, stop: "end", usage: { input: 9 } };
  },
};

const start = (more: Partial<CompactorOptions<ChatMessage>> = {}): Compactor<ChatMessage> =>
  createCompactor({ dialect: openaiChat, window: 20_000, summarizer: model, ...more });

it.each([
  ["a range up to the end", { upTo: before.length }],
  ["a range in the middle", { range: { from: 20, to: before.length } }],
  ["everything", {}],
])("%s: the old question isn't told of after an edit", async (_, range) => {
  const compactor = start({
    ...("upTo" in range || "range" in range ? {} : { strategy: "summarize-and-drop" }),
  });
  const first = await compactor.compact(before, { ...range, now: 1 });
  expect(first.report.outcome).toBe("compacted");
  expect(JSON.stringify(first.messages)).toContain("went through the shelves");
  const { messages } = await compactor.fit(after, { state: first.state, now: 2 });
  expect(JSON.stringify(messages)).not.toContain("ZEBRA-1");
});
