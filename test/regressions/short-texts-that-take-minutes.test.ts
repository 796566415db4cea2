/** What somebody sends in a few kilobytes is read once, and not again from each of its characters. */
import { describe, expect, it } from "vitest";
import { structureOf } from "../../src/core/rounds.ts";
import type { Message, Part } from "../../src/core/types.ts";
import { createMemoryIndex } from "../../src/recall/candidates.ts";
import { passagesOf } from "../../src/recall/passages.ts";
import { piecesOf, visibleText } from "../../src/recall/visible-text.ts";
import { outcomesOf } from "../../src/summaries/calls/outcomes.ts";
import { mustKeepOf } from "../../src/summaries/keep/must-keep.ts";
import { peopleText } from "../../src/summaries/people/people-text.ts";
import { readStates } from "../../src/summaries/states/read-states.ts";
import { withoutTagged } from "../../src/summaries/text/tagged.ts";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { growth, LINEAR } from "../support/growth.ts";
import { judgeFit } from "../support/judge-fit.ts";

const forPeople = (text: string): string =>
  peopleText({
    messages: [
      { role: "user", parts: [{ type: "text", text }] },
      { role: "assistant", parts: [{ type: "text", text }] },
    ],
    cap: 500,
    count: (one) => one.length / 4,
  });

const round = (args: string): Message[] => [
  { role: "user", parts: [{ type: "text", text: "Run it." }] },
  { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "bash", args }] },
  { role: "tool", parts: [{ type: "tool-result", id: "c", name: "bash", text: "ok" }] },
  { role: "assistant", parts: [{ type: "text", text: "It works." }] },
  { role: "user", parts: [{ type: "text", text: "And?" }] },
];

const blanks = (size: number) => " ".repeat(size);
const READERS: Readonly<Record<string, (size: number) => unknown>> = {
  "blanks in a command": (size) =>
    outcomesOf(round(JSON.stringify({ command: `make${blanks(size)}all` })), () => true),
  "lines in a command": (size) =>
    outcomesOf(round(JSON.stringify({ command: `make${"\n".repeat(size)}all` })), () => true),
  ...Object.fromEntries(
    ['\\"', "|", "; \n", "A=1 "].map((unit) => [
      `${JSON.stringify(unit)} in a command that may have run tests or git`,
      (size: number) => readStates(round(JSON.stringify({ command: `git a${unit.repeat(size)}` }))),
    ]),
  ),
  "blanks in a report's title": (size) => forPeople(`# ${blanks(size)}a\rb`),
  "blanks in a report's list": (size) => forPeople(`- ${blanks(size)}a\rb`),
  "tags that are never closed": (size) =>
    withoutTagged(Array.from({ length: size }, (_, n) => `<a${n}>`).join("")),
  "tags that are closed": (size) => withoutTagged("<a>b</a>".repeat(size)),
  "empty lines in what is quoted": (size) =>
    visibleText({ fates: [], written: [`a${"\n".repeat(size)}b`] }, [], createMemoryIndex(), 0),
  "full stops in a row": (size) => piecesOf(`${".".repeat(size)}a`),
};

describe.each(Object.entries(READERS))("%s", (_name, read) => {
  it("cost no more than reading them", () => {
    expect(growth(read, 2_000)).toBeLessThan(LINEAR);
  });
});

const LONG_READERS: Readonly<Record<string, (size: number) => unknown>> = {
  "a text without line breaks, cut into passages": (size) =>
    passagesOf({ role: "assistant", parts: [{ type: "text", text: "some words ".repeat(size / 11) }] }),
  "a text without blanks, looked at for what a summary must keep": (size) =>
    mustKeepOf({
      messages: [{ role: "user", parts: [{ type: "text", text: "ab,".repeat(size / 3) }] }],
      run: { from: 0, to: 1 },
      cap: 1_000,
      count: (text) => text.length,
    }),
};

describe.each(Object.entries(LONG_READERS))("%s", (_name, read) => {
  it("costs no more than reading it", () => {
    expect(growth(read, 100_000)).toBeLessThan(LINEAR);
  });
});

it("calls that no result fits, where names tie them together, are looked at once", () => {
  const rounds = (size: number): Message[] => [
    {
      role: "assistant",
      parts: Array.from(
        { length: size },
        (): Part => ({ type: "tool-call", id: "a", name: "a", args: "{}" }),
      ),
    },
    {
      role: "tool",
      parts: Array.from(
        { length: size },
        (_, n): Part => ({ type: "tool-result", id: "", byName: true, name: `b${n}`, text: "" }),
      ),
    },
  ];
  expect(growth((size) => structureOf(rounds(size)), 500)).toBeLessThan(LINEAR);
});

it("results one by one, where names tie them together, find their calls without a look at those before them", () => {
  const rounds = (size: number): Message[] => [
    ...Array.from(
      { length: size },
      (): Message => ({
        role: "assistant",
        parts: [{ type: "tool-call", id: "function:a", name: "a", args: "{}" }],
      }),
    ),
    ...Array.from(
      { length: size },
      (): Message => ({
        role: "tool",
        parts: [{ type: "tool-result", id: "", byName: true, name: "a", text: "" }],
      }),
    ),
  ];
  expect(structureOf(rounds(3)).pairs.map(({ call, result }) => [call.index, result.index])).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  expect(growth((size) => structureOf(rounds(size)), 2_000)).toBeLessThan(LINEAR);
});

const LINES = 200_000;

it.each(DIALECT_IDS)("a file of 200,000 lines can be written in %s", async (id) => {
  const args = JSON.stringify({ path: "data.csv", content: "1\n".repeat(LINES) });
  const wire = toWire(id, round(args));
  const { breaches } = await judgeFit({ ...wire, dialect: dialectOf(id).id, budget: 1_000 });
  expect(breaches).toEqual([]);
});
