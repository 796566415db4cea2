/** Work on a conversation of many messages, or of long ones, stops often enough for others to have their turn. */
import { describe, expect, it } from "vitest";
import { keepAll } from "../../src/core/draft.ts";
import { structureOf } from "../../src/core/rounds.ts";
import { runNow, type Steps } from "../../src/core/steps.ts";
import type { Measure, Message } from "../../src/core/types.ts";
import { createMemoryIndex } from "../../src/recall/memory-index.ts";
import { readQuery } from "../../src/recall/query.ts";
import { rankSteps } from "../../src/recall/rank.ts";
import { reductions } from "../../src/reductions/index.ts";
import type { ReductionInput } from "../../src/reductions/reduction.ts";
import { transcriptLines } from "../../src/summaries/lines.ts";
import { mustKeepOf } from "../../src/summaries/must-keep.ts";
import { salience } from "../../src/summaries/salience.ts";
import { splitRuns } from "../../src/summaries/split-input.ts";
import { summaryMessageSteps } from "../../src/summaries/summary-message.ts";
import { userWordsSteps } from "../../src/summaries/user-words.ts";
import { growth, LINEAR } from "../support/growth.ts";

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

  it("ranking by many words", () => {
    const index = createMemoryIndex();
    for (const message of dialogueOf(MESSAGES)) index.add(message);
    const query = readQuery("Which house did Person7 move to in the year 1907?");
    expect(stepsOf(rankSteps(index, query))).toBeGreaterThan(query.terms.length);
  });
});

describe("work on one long message is done in many steps", () => {
  const LINES = 8_000;
  const text = Array.from({ length: LINES }, (_, at) => `src/part${at}/file.ts has fooBar${at}.`).join("\n");
  const kinds: Readonly<Record<string, readonly Message[]>> = {
    "an answer": [said("assistant", text)],
    "a message of the user": [said("user", text)],
    "a file that was read": [
      {
        role: "assistant",
        parts: [{ type: "tool-call", id: "c", name: "read", args: '{"path":"a.txt"}' }],
      },
      { role: "tool", parts: [{ type: "tool-result", id: "c", text }] },
    ],
    "a file that was written": [
      {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            id: "c",
            name: "write",
            args: JSON.stringify({ path: "a.txt", content: text }),
          },
        ],
      },
      { role: "tool", parts: [{ type: "tool-result", id: "c", text: "ok" }] },
    ],
  };

  it.each(Object.entries(kinds))("the lines of %s, and how rare their terms are", (_name, messages) => {
    const steps = transcriptLines(messages);
    expect(stepsOf(steps)).toBeGreaterThan(LINES / 64);
    expect(stepsOf(salience(runNow(transcriptLines(messages))).prepare())).toBeGreaterThan(LINES / 256);
  });

  it("what must be kept of an answer, or is named in one behind the run", () => {
    const answer = said("assistant", text);
    const messages = [said("user", "Hi."), answer, said("user", "Go on.")];
    for (const run of [
      { from: 0, to: 2 },
      { from: 0, to: 1 },
    ])
      expect(stepsOf(mustKeepOf({ messages, run, cap: 1_000, count }))).toBeGreaterThan(text.length / 16_384);
  });

  it("a unit that a summariser has no room for", () => {
    const messages = kinds["an answer"]!;
    const { units } = structureOf(messages);
    const pieces = splitRuns({
      messages,
      units,
      run: wholeOf(messages),
      limit: 4_000,
      // biome-ignore lint/correctness/useYield: a text that is counted at once.
      *count(one) {
        return count(one);
      },
      mode: "full",
    });
    // Each try is one.
    expect(stepsOf(pieces)).toBeGreaterThan(8);
  });
});

describe("what the user said, and may have sent again", () => {
  it("is read in a step of its own where it is long", () => {
    const messages = Array.from({ length: 10 }, (_, at) => said("user", words(at).repeat(1_200)));
    expect(stepsOf(userWordsSteps(messages, messages.keys()))).toBeGreaterThanOrEqual(messages.length);
  });

  it("is compared in steps", () => {
    const messages = talkOf(MESSAGES);
    expect(stepsOf(userWordsSteps(messages, messages.keys()))).toBeGreaterThanOrEqual(2 * (MESSAGES / 32));
  });

  it.each([
    ["signs", "!"],
    ["letters", "a"],
  ])("is compared in a time that grows with its %s, not with their square", (_name, sign) => {
    const compare = (length: number) => {
      const messages = Array.from({ length: 60 }, (_, at) => said("user", `${sign.repeat(length)} x${at}`));
      return stepsOf(userWordsSteps(messages, messages.keys()));
    };
    expect(growth(compare, 700)).toBeLessThan(LINEAR);
  });
});
