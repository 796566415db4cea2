import { expect, test } from "vitest";
import { agentCase, round, say, user } from "../../../test/support/eval-cases.ts";
import { scoredView } from "../tally.ts";
import type { CitationCase, ProbeCase } from "../types.ts";
import {
  anchorsInContext,
  editedFiles,
  editLines,
  nextActionAnchors,
  nextCallTerms,
  nextCallWords,
  oldAnchors,
  readFiles,
  userMessages,
  userMessagesWhole,
} from "./agent-measures.ts";
import {
  answerWords,
  danglingCitations,
  evidenceById,
  evidenceByText,
  resolvedCitations,
  standingInstructions,
} from "./talk-measures.ts";

const before = [
  user("Rename the greeting helper everywhere, please"),
  ...round(
    "Read",
    { file_path: "/app/src/greet.ts" },
    "1→export const greetPerson = (name: string) => name;",
  ),
  ...round("Edit", { file_path: "/app/src/main.ts", old_string: "a", new_string: "b" }, "done"),
];

test("names of the next calls: there, there in context, and old ones", () => {
  const anchors = [
    { text: "greetPerson", old: true, neighbours: ["export", "const", "name", "str"] },
    { text: "/app/src/main.ts", old: false, neighbours: [] },
  ];
  const evalCase = agentCase(before, [], { anchors });
  const bare = scoredView("names: greetPerson");
  expect(nextActionAnchors.observe(evalCase, bare)).toEqual({ sum: 0.5, weight: 1 });
  expect(anchorsInContext.observe(evalCase, bare)).toEqual({ sum: 0, weight: 1 });
  expect(oldAnchors.observe(evalCase, bare)).toEqual({ sum: 1, weight: 1 });
  const line = scoredView("export const greetPerson = (name: string) => name;");
  expect(anchorsInContext.observe(evalCase, line)).toEqual({ sum: 0.5, weight: 1 });
});

test("terms that were said again before their use aren't needed", () => {
  const after = [
    ...round("Bash", { command: "grep greeting" }, "found helper"),
    ...round("Bash", { command: "test helper everywhere" }, ""),
  ];
  const evalCase = agentCase(before, after);
  // `greeting` and `everywhere` come from before; `helper` was shown again by the first result.
  expect(nextCallTerms.observe(evalCase, scoredView("greeting"))).toEqual({ sum: 0.5, weight: 1 });
  expect(nextCallWords.observe(evalCase, scoredView("greeting everywhere"))).toEqual({ sum: 1, weight: 1 });
});

test("exact lines of the next edits, with the escapes of arguments undone", () => {
  const line = 'console.log("a long enough line")';
  const known = [...round("Read", { file_path: "/a.ts" }, `12→\t${line}`)];
  const edit = round(
    "Edit",
    { file_path: "/a.ts", old_string: `\t${line}\n\tunknown line of some length` },
    "ok",
  );
  const evalCase = agentCase(known, edit);
  expect(editLines.observe(evalCase, scoredView(`x ${line}`))).toEqual({ sum: 1, weight: 1 });
  expect(editLines.observe(evalCase, scoredView("console.log"))).toEqual({ sum: 0, weight: 1 });
});

test("files by base name, edited and read", () => {
  const evalCase = agentCase(before, []);
  expect(editedFiles.observe(evalCase, scoredView("main.ts"))).toEqual({ sum: 1, weight: 1 });
  expect(readFiles.observe(evalCase, scoredView("main.ts"))).toEqual({ sum: 0, weight: 1 });
});

test("messages of people, not of tools", () => {
  const evalCase = agentCase(before, []);
  expect(userMessages.observe(evalCase, scoredView("The user: rename greeting helper everywhere"))).toEqual({
    sum: 1,
    weight: 1,
  });
  expect(userMessagesWhole.observe(evalCase, scoredView("export const greetPerson"))).toEqual({
    sum: 0,
    weight: 1,
  });
});

const probes: ProbeCase = {
  type: "probes",
  session: "c1",
  messages: [
    user("Always answer in French, whatever I ask"),
    say("D'accord"),
    user("My cat is called Minka"),
  ],
  from: 0,
  to: 3,
  probes: [
    { question: "language?", answer: "French", kind: "instruction_following", evidence: [0] },
    { question: "cat?", answer: "Minka", kind: "information_extraction", evidence: [2] },
    { question: "dog?", answer: "unknown", kind: "abstention", evidence: [] },
  ],
};

test("evidence verbatim and by words; questions without evidence aren't asked", () => {
  const view = scoredView("He wants French answers always, whatever is asked. My cat is called Minka");
  expect(evidenceById.observe(probes, view)).toEqual({ sum: 1, weight: 2 });
  expect(evidenceByText.observe(probes, view)?.weight).toBe(2);
  expect(answerWords.observe(probes, view)).toEqual({ sum: 2, weight: 2 });
});

test("standing instructions are a measure of their own", () => {
  expect(standingInstructions.observe(probes, scoredView("My cat is called Minka"))).toEqual({
    sum: 0,
    weight: 1,
  });
  expect(standingInstructions.observe(probes, scoredView("answer always French, whatever ask"))).toEqual({
    sum: 1,
    weight: 1,
  });
});

const cited: CitationCase = {
  type: "citations",
  session: "r1",
  messages: [],
  from: 0,
  to: 0,
  documents: new Map([
    [1, "doc-a"],
    [2, "doc-b"],
  ]),
  cited: [1, 2],
};

test("a citation dangles when its document isn't named; numbers that cite nothing don't count", () => {
  expect(danglingCitations.observe(cited, scoredView("so [1] and [2], see doc-a; array[7]"))).toEqual({
    sum: 1,
    weight: 2,
  });
  expect(danglingCitations.observe(cited, scoredView("nothing"))).toBeUndefined();
});

test("a view without citations resolves none", () => {
  expect(resolvedCitations.observe(cited, scoredView("nothing"))).toEqual({ sum: 0, weight: 2 });
  expect(resolvedCitations.observe(cited, scoredView("[1] doc-a"))).toEqual({ sum: 1, weight: 2 });
});
