import { expect, test } from "vitest";
import { readLog } from "./create-log-reader.ts";

const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");
const WORDS = ["first", "second", "third", "fourth"];

interface Read {
  readonly content: string | readonly { readonly text: string }[];
}
const textsIn = (log: { readonly messages: readonly unknown[] }): string[] =>
  (log.messages as Read[]).map(({ content }) =>
    typeof content === "string" ? content : content.map(({ text }) => text).join(" "),
  );

type Ids = readonly (readonly [id: string | undefined, parentId?: string | null])[];
const pi = (ids: Ids) =>
  readLog(
    lines([
      { type: "session", version: 3, id: "s", cwd: "/x" },
      ...ids.map(([id, parentId], at) => ({
        type: "message",
        id,
        parentId,
        message: { role: "user", content: WORDS[at] },
      })),
    ]),
  );

const claude = (records: readonly object[]) => readLog(lines(records));
const asked = (uuid: string, content: unknown, more = {}) => ({
  type: "user",
  uuid,
  sessionId: "s",
  message: { role: "user", content },
  ...more,
});
const answered = (uuid: string, id: string, content: unknown) => ({
  type: "assistant",
  uuid,
  sessionId: "s",
  message: { role: "assistant", id, content },
});
const text = (words: string) => [{ type: "text", text: words }];

test("Claude Code: lines with one id and different words are all read", () => {
  const log = claude([
    asked("u", "first"),
    answered("u", "m1", text("second")),
    asked("u", "third"),
    answered("u", "m2", text("fourth")),
  ]);
  expect(textsIn(log)).toEqual(WORDS);
  expect(log.warnings).toEqual([
    "3 lines have the id of an earlier line that says something else; the file's order decided",
  ]);
});

test("Claude Code: a line that is repeated is read once, and that is nothing odd", () => {
  const repeated = asked("u", "first", { timestamp: "2026-01-02T10:00:00Z" });
  const log = claude([
    asked("u", "first"),
    answered("a", "m1", text("second")),
    repeated,
    asked("v", "third"),
  ]);
  expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
  expect(log.warnings).toEqual([]);
});

test("Claude Code: an answer with the id of an answer to an earlier question stays behind its own question", () => {
  const log = claude([
    asked("u1", "first"),
    answered("a1", "m", text("second")),
    asked("u2", "third"),
    answered("a2", "m", text("fourth")),
  ]);
  expect(textsIn(log)).toEqual(WORDS);
  expect(log.warnings).toHaveLength(1);
});

test("Claude Code: circles of parents lose nothing", () => {
  const log = claude([
    asked("u1", "first", { parentUuid: "u2" }),
    asked("u2", "second", { parentUuid: "u1" }),
    asked("u3", "third", { parentUuid: "u3" }),
  ]);
  expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
});

test("an answer whose content is plain text is read", () => {
  const log = claude([asked("u1", "first"), answered("a1", "m1", "second")]);
  expect(textsIn(log)).toEqual(["first", "second"]);
  const ofPi = readLog(
    lines([
      { type: "session", id: "s", cwd: "/x" },
      { type: "message", message: { role: "user", content: "first" } },
      { type: "message", message: { role: "assistant", content: "second" } },
    ]),
  );
  expect(textsIn(ofPi)).toEqual(["first", "second"]);
});

test.each([
  [
    "that are their own parents",
    [
      ["1", null],
      ["1", "1"],
      ["1", "1"],
      ["1", "1"],
    ],
  ],
  [
    "that all begin",
    [
      ["1", null],
      ["1", null],
      ["1", null],
      ["1", null],
    ],
  ],
  [
    "behind one parent",
    [
      ["0", null],
      ["1", "0"],
      ["1", "0"],
      ["1", "0"],
    ],
  ],
] satisfies [string, Ids][])("pi: lines with one id and different words are all read (%s)", (_, ids) => {
  const log = pi(ids);
  expect(textsIn(log)).toEqual(WORDS);
  expect(log.warnings).toEqual([
    expect.stringMatching(
      /^\d lines have the id of an earlier line that says something else; the file's order/,
    ),
  ]);
});

test("pi: a line that is repeated is read once", () => {
  const message = (id: string, parentId: string | null, content: string) => ({
    type: "message",
    id,
    parentId,
    message: { role: "user", content },
  });
  const log = readLog(
    lines([message("1", null, "first"), message("1", null, "first"), message("2", "1", "second")]),
  );
  expect(textsIn(log)).toEqual(["first", "second"]);
  expect(log.warnings).toEqual([]);
});

test.each([
  [
    "that leads to itself",
    [
      ["1", null],
      ["2", "1"],
      ["3", "3"],
    ],
  ],
  [
    "in a circle of two",
    [
      ["1", null],
      ["2", "3"],
      ["3", "2"],
    ],
  ],
  [
    "in a circle of all",
    [
      ["1", "3"],
      ["2", "1"],
      ["3", "2"],
    ],
  ],
  [
    "that is missing",
    [
      ["1", null],
      ["2", "1"],
      ["3", "gone"],
    ],
  ],
  ["that nobody named", [["1", null], ["2", "1"], ["3"]]],
] satisfies [string, Ids][])("pi: a parent %s loses nothing", (_, ids) => {
  const log = pi(ids);
  expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
  expect(log.warnings).toEqual([
    "1 line follows a line that is missing or comes later; the file's order decided",
  ]);
});

test("pi: a line without an id stays where the file has it", () => {
  const log = pi([["1", null], [undefined], ["2", "1"]]);
  expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
});

test("pi: what another branch holds is told", () => {
  const log = pi([
    ["1", null],
    ["2", "1"],
    ["3", "1"],
  ]);
  expect(textsIn(log)).toEqual(["first", "third"]);
  expect(log.warnings).toEqual(["left out 1 message of other branches"]);
});

test("pi: messages of a kind that is unknown are told", () => {
  const log = readLog(
    lines([
      { type: "session", id: "s", cwd: "/x" },
      { type: "message", message: { role: "user", content: "first" } },
      { type: "message", message: { role: "oracle", content: "second" } },
    ]),
  );
  expect(log.warnings).toEqual(["left out 1 message of role oracle"]);
});

const chatgpt = (current: string | null, parents: Readonly<Record<string, string | null>>) =>
  readLog(
    JSON.stringify({
      title: "Soup",
      current_node: current,
      mapping: Object.fromEntries(
        Object.entries(parents).map(([id, parent], at) => [
          id,
          { parent, message: { author: { role: "user" }, content: { parts: [WORDS[at]] } } },
        ]),
      ),
    }),
  );

test.each([
  ["that leads to itself", { a: null, b: "a", c: "c" }],
  ["in a circle", { a: null, b: "c", c: "b" }],
  ["that is missing", { a: null, b: "a", c: "gone" }],
])("ChatGPT: a parent %s loses nothing", (_, parents) => {
  const log = chatgpt("c", parents);
  expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
  expect(log.warnings).toHaveLength(1);
});

test("ChatGPT: parents may come later in the file", () => {
  const log = chatgpt("a", { a: "b", b: "c", c: null });
  expect(textsIn(log)).toEqual(["third", "second", "first"]);
  expect(log.warnings).toEqual([]);
});

test.each([["gone"], [null]])(
  "ChatGPT: without a last node, the last one of the file is taken (%s)",
  (current) => {
    const log = chatgpt(current, { a: null, b: "a", c: "b" });
    expect(textsIn(log)).toEqual(WORDS.slice(0, 3));
    expect(log.warnings).toEqual([
      "the file doesn't say where the conversation ends; its last node was taken",
    ]);
  },
);

test("ChatGPT: what another branch holds is told", () => {
  const log = chatgpt("c", { a: null, b: "a", c: "a" });
  expect(log.warnings).toEqual(["left out 1 message of other branches"]);
});

test("OpenHands: answers with one id and different calls are all read", () => {
  const action = (name: string) => ({
    source: "agent",
    action: "run",
    tool_call_metadata: {
      tool_call_id: name,
      model_response: {
        id: "r",
        choices: [
          { message: { content: name, tool_calls: [{ id: name, function: { name, arguments: "{}" } }] } },
        ],
      },
    },
  });
  const log = readLog(JSON.stringify({ history: [action("first"), action("first"), action("second")] }));
  expect(textsIn(log)).toEqual(["first", "second"]);
  expect(log.warnings).toHaveLength(1);
});

test("of a file made of circles, no message is read twice", () => {
  const count = 40_000;
  const log = readLog(
    lines(
      Array.from({ length: count }, (_, at) => ({
        type: "message",
        id: `${at}`,
        parentId: `${at % 2 === 0 ? at + 1 : count - at}`,
        message: { role: "user", content: `${at}` },
      })),
    ),
  );
  expect(new Set(textsIn(log)).size).toBe(log.messages.length);
});
