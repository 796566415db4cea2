import { expect, test } from "vitest";
import type { ApiMessage, ApiView, ViewEntry } from "../../gateway/api.ts";
import { createPaint } from "../io.ts";
import { messageText, summaryText, viewText } from "./view-text.ts";

const message = (index: number): ApiMessage => ({
  index,
  hash: String(index),
  role: index % 2 === 0 ? "user" : "assistant",
  parts: [{ type: "text", text: `Words of message ${index} \u001b[31m` }],
  tokens: 10,
  at: 0,
  pinned: index === 1,
  fate: { type: "kept" },
});
const messages = Array.from({ length: 40 }, (_, index) => message(index));
const keep = (index: number, why: "head" | "pinned" | "tail"): ViewEntry => ({
  type: "keep",
  index,
  role: messages[index]?.role ?? "system",
  tokens: 10,
  why,
});
const view: ApiView = {
  conversation: "c",
  dialect: "openai-chat",
  outcome: "view",
  entries: [
    keep(-1, "head"),
    keep(1, "pinned"),
    {
      type: "insert",
      role: "user",
      tokens: 50,
      text: "The record.",
      covers: [{ from: 0, to: 30 }],
      originals: messages.slice(0, 30).map(({ tokens }) => tokens),
    },
    { type: "drop", index: 30, role: "user", tokens: 10, reason: "orphan" },
    ...messages.slice(31).map(({ index }) => keep(index, "tail")),
  ],
  system: 0,
  budget: { window: 1_000, reserve: 0, tools: 0, safety: 0, budget: 900, head: 10, room: 890 },
  pressure: { before: 0.2, after: 0.2 },
  tokens: { transcript: 410, before: 160, after: 160 },
  warnings: [],
};
const look = { columns: 70, paint: createPaint(false), lead: 1 };

test("runs of messages with what became of them, the summary where it stands", () => {
  const lines = viewText(view, messages, look).split("\n");
  expect(lines.slice(0, 7)).toEqual([
    "The view has 160 of 900 tokens; the transcript has 410.",
    "  #1  kept: always shown, 10 tokens",
    "  #2 user  summarised, 10 tokens  Words of message 0",
    "  #3 assistant  kept: pinned, 10 tokens  Words of message 1",
    "  #4–31  summarised, 280 tokens",
    "  summary of #2–31: 50 tokens",
    "  #32 user  left out: its tool call or result is missing, 10 tokens",
  ]);
  expect(lines.at(-2)).toBe("  #41 assistant  kept: recent, 10 tokens  Words of message 39");
  for (const line of viewText(view, messages, { ...look, columns: 40 })
    .split("\n")
    .slice(1, -1))
    expect(line.length).toBeLessThanOrEqual(40);
});

test("a long run is told in one line, its newest messages one by one", () => {
  const all: ApiView = { ...view, entries: messages.map(({ index }) => keep(index, "tail")) };
  const lines = viewText(all, messages, look).split("\n");
  expect(lines[1]).toBe("  #2–21  kept: recent, 200 tokens");
  expect(lines).toHaveLength(1 + 1 + 20 + 1);
});

test("the summary and a message word for word, without what steers a terminal", () => {
  expect(summaryText(view)).toBe("The record.");
  expect(messageText(message(1), 1)).toBe("#3 assistant, 10 tokens, pinned\nWords of message 1 ");
});
