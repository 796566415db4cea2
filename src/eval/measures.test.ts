import { expect, test } from "vitest";
import { agentCase, round, say, user } from "../../test/support/eval-cases.ts";
import {
  anchorsInContext,
  danglingCitations,
  evidenceByText,
  nextActionAnchors,
  oldAnchors,
  resolvedCitations,
  standingInstructions,
  userMessages,
} from "./measures.ts";
import { scoredView } from "./tally.ts";
import type { CitationCase, ProbeCase } from "./types.ts";

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

test("messages of people, not of tools", () => {
  const evalCase = agentCase(before, []);
  expect(userMessages.observe(evalCase, scoredView("The user: rename greeting helper everywhere"))).toEqual({
    sum: 1,
    weight: 1,
  });
  expect(userMessages.observe(evalCase, scoredView("export const greetPerson"))).toEqual({
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

test("evidence by its words; questions without evidence aren't asked", () => {
  const view = scoredView("He wants French answers always, whatever is asked. My cat is called Minka");
  expect(evidenceByText.observe(probes, view)).toEqual({ sum: 2, weight: 2 });
  expect(evidenceByText.observe(probes, scoredView("My cat is called Minka"))?.sum).toBe(1);
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
