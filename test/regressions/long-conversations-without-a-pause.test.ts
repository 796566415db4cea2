/** Work on a conversation of many messages, or of long ones, stops often enough for others to have their turn. */
import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { encode } from "../../src/apis/transcode.ts";
import type { Message } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { createMemoryIndex } from "../../src/recall/candidates.ts";
import { rank, readQuery } from "../../src/recall/rank.ts";
import { userWords } from "../../src/summaries/material/user-words.ts";
import { growth, LINEAR } from "../support/growth.ts";

const MESSAGES = 400;
const count = (text: string): number => Math.ceil(text.length / 4);
const said = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});
const words = (at: number) => `I moved to house ${at} in the year ${1900 + at}, and my name is Person${at}. `;
const dialogueOf = (length: number) =>
  Array.from({ length }, (_, at) => said(at % 2 === 0 ? "user" : "assistant", words(at).repeat(3)));
const workOf = (length: number): Message[] =>
  Array.from({ length: length / 2 }, (_, at): Message[] => [
    {
      role: "assistant",
      parts: [
        { type: "text", text: words(at) },
        { type: "tool-call", id: `c${at}`, name: "read", args: '{"path":"a.txt"}' },
      ],
    },
    { role: "tool", parts: [{ type: "tool-result", id: `c${at}`, text: words(at).repeat(5) }] },
  ]).flat();

it("a compaction of many messages stops between its steps", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 20_000, counter: { id: "chars", count } });
  const messages = encode("openai-chat", workOf(8 * MESSAGES)).messages as ChatMessage[];
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const { report } = await compactor.fit([...messages, { role: "user", content: "And now?" }]);
  clearInterval(timer);
  expect(report.outcome).toBe("compacted");
  expect(turns).toBeGreaterThan(5);
});

it("ranking by many words stops between them", async () => {
  const index = createMemoryIndex();
  for (const message of dialogueOf(MESSAGES)) index.add(message);
  const query = readQuery("Which house did Person7 move to in the year 1907?");
  let pauses = 0;
  await rank(index, query, async () => void pauses++);
  expect(pauses).toBeGreaterThan(query.terms.length);
});

describe("what the user said, and may have sent again", () => {
  it.each([
    ["signs", "!"],
    ["letters", "a"],
  ])("is compared in a time that grows with its %s, not with their square", (_name, sign) => {
    const compare = (length: number) => {
      const messages = Array.from({ length: 60 }, (_, at) => said("user", `${sign.repeat(length)} x${at}`));
      return userWords(messages, messages.keys());
    };
    expect(growth(compare, 700)).toBeLessThan(LINEAR);
  });
});
