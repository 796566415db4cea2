/** Work on a conversation of many messages stops often enough for others to have their turn. */
import { describe, expect, it } from "vitest";
import { keepAll } from "../../src/core/draft.ts";
import { structureOf } from "../../src/core/rounds.ts";
import { createPacker } from "../../src/core/state/packed-text.ts";
import type { Steps } from "../../src/core/steps.ts";
import type { Measure, Message } from "../../src/core/types.ts";
import { createMemoryIndex } from "../../src/recall/memory-index.ts";
import { readQuery } from "../../src/recall/query.ts";
import { rankSteps } from "../../src/recall/rank.ts";
import { reductions } from "../../src/reductions/index.ts";
import type { ReductionInput } from "../../src/reductions/reduction.ts";
import { mustKeepOf } from "../../src/summaries/must-keep.ts";
import { splitRuns } from "../../src/summaries/split-input.ts";
import { summaryMessageSteps } from "../../src/summaries/summary-message.ts";

const MESSAGES = 400;
const count = (text: string): number => Math.ceil(text.length / 4);
const said = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});
const words = (at: number) => `I moved to house ${at} in the year ${1900 + at}, and my name is Person${at}. `;
const talkOf = (length: number) => Array.from({ length }, (_, at) => said("user", words(at).repeat(20)));
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

const wholeOf = (messages: readonly Message[]) => ({ from: 0, to: messages.length });
const summaryOf = (messages: readonly Message[]) =>
  summaryMessageSteps({
    messages,
    hidden: [wholeOf(messages)],
    visible: () => false,
    cap: 2_000,
    count,
  });

function stepsOf(steps: Steps<unknown>): number {
  let taken = 0;
  while (!steps.next().done) taken++;
  return taken;
}

describe("work on many messages is done in at least one step for each", () => {
  const kinds: Readonly<Record<string, readonly Message[]>> = {
    talk: talkOf(MESSAGES),
    dialogue: dialogueOf(MESSAGES),
    work: workOf(MESSAGES),
  };
  it.each(Object.entries(kinds))("a summary message of %s", (_name, messages) => {
    expect(stepsOf(summaryOf(messages))).toBeGreaterThan(MESSAGES);
  });

  it.each(Object.entries(kinds))(
    "what a summariser reads of %s, and what it must keep",
    (_name, messages) => {
      const { units } = structureOf(messages);
      const pieces = splitRuns({
        messages,
        units,
        run: wholeOf(messages),
        limit: 4_000,
        *count(text) {
          yield;
          return count(text);
        },
        mode: "full",
      });
      expect(stepsOf(pieces)).toBeGreaterThan(units.length);
      expect(stepsOf(mustKeepOf({ messages, run: wholeOf(messages), cap: 1_000, count }))).toBeGreaterThan(
        MESSAGES,
      );
    },
  );

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

  it("packing a text whose sources are many", () => {
    const sources = talkOf(MESSAGES).map(({ parts }) => (parts[0] as { readonly text: string }).text);
    expect(stepsOf(createPacker(() => sources)(sources[7]!))).toBeGreaterThanOrEqual(MESSAGES);
  });

  it("ranking by many words", () => {
    const index = createMemoryIndex();
    for (const message of dialogueOf(MESSAGES)) index.add(message);
    const query = readQuery("Which house did Person7 move to in the year 1907?");
    expect(stepsOf(rankSteps(index, query))).toBeGreaterThan(query.terms.length);
  });
});
