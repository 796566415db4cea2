/** Work on a conversation of many messages, or of long ones, stops often enough for others to have their turn. */
import { describe, expect, it } from "vitest";
import { keepAll } from "../../src/core/draft.ts";
import { structureOf } from "../../src/core/rounds.ts";
import type { Steps } from "../../src/core/steps.ts";
import type { Measure, Message } from "../../src/core/types.ts";
import { createMemoryIndex } from "../../src/recall/memory-index.ts";
import { readQuery } from "../../src/recall/query.ts";
import { rankSteps } from "../../src/recall/rank.ts";
import { reductions } from "../../src/reductions/index.ts";
import type { ReductionInput } from "../../src/reductions/reduction.ts";
import { userWords } from "../../src/summaries/user-words.ts";
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

function stepsOf(steps: Steps<unknown>): number {
  let taken = 0;
  while (!steps.next().done) taken++;
  return taken;
}

describe("work on many messages is done in at least one step for each", () => {
  it.each(reductions.map((reduction) => [reduction.name, reduction] as const))(
    "the reduction %s",
    (_name, reduction) => {
      const messages = workOf(MESSAGES).map(
        (message): Message =>
          message.role === "assistant"
            ? { ...message, parts: [{ type: "reasoning", text: "Hm.", signed: false }, ...message.parts] }
            : message,
      );
      const input = {
        messages,
        structure: structureOf(messages),
        reducible: () => true,
        needsReasoning: () => false,
        measure: { text: count } as Measure,
        allowance: 10,
        images: { keep: 0 },
      } as unknown as ReductionInput;
      expect(stepsOf(reduction.apply(keepAll(messages.length), input))).toBeGreaterThanOrEqual(MESSAGES / 2);
    },
  );

  it("ranking by many words", () => {
    const index = createMemoryIndex();
    for (const message of dialogueOf(MESSAGES)) index.add(message);
    const query = readQuery("Which house did Person7 move to in the year 1907?");
    expect(stepsOf(rankSteps(index, query))).toBeGreaterThan(query.terms.length);
  });
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
