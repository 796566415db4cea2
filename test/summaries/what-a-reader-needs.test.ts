import { expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { say, summaryOfAll } from "../support/summary-of.ts";

const edit = (id: string, path: string, added: string): Message[] => [
  {
    role: "assistant",
    parts: [
      {
        type: "tool-call",
        id,
        name: "edit",
        args: JSON.stringify({ file_path: path, old_string: "x", new_string: added }),
      },
    ],
  },
  { role: "tool", parts: [{ type: "tool-result", id, text: "ok" }] },
];
const run = (id: string, command: string, text: string): Message[] => [
  {
    role: "assistant",
    parts: [{ type: "tool-call", id, name: "bash", args: JSON.stringify({ command }) }],
  },
  { role: "tool", parts: [{ type: "tool-result", id, text }] },
];

const FOLDER = "/home/dev/work/customer/project/packages/server/";
const changes = Array.from({ length: 12 }, (_, at) =>
  edit(
    `e${at}`,
    `${FOLDER}part_${at}.ts`,
    `import { z } from "zod";\nexport function newThing${at}(): void {}`,
  ),
).flat();

test("a report after many edits isn't cut for the answers to questions before it", () => {
  const questions = Array.from({ length: 8 }, (_, at) => [
    say("user", `What does module number ${at} do here?`),
    say(
      "assistant",
      `Module number ${at} reads the settings of tenant ${at} and nothing else worth mentioning.`.repeat(3),
    ),
  ]).flat();
  const points = Array.from(
    { length: 6 },
    (_, at) => `- \`part_${at}.ts\`: the limit is now ${at + 41} and checked first`,
  );
  const messages = [
    ...questions,
    say("user", "Go on and change it."),
    ...changes,
    say("assistant", `Everything is changed.\n${points.join("\n")}`),
    say("user", "Thanks. Now something else."),
  ];
  const text = summaryOfAll(messages, 700);
  for (const point of points) expect(text).toContain(point);
});

test("the folder of all files is said once", () => {
  const text = summaryOfAll([say("user", "Change it."), ...changes, say("user", "And now?")], 400);
  expect(text.split(FOLDER)).toHaveLength(2);
  expect(text).toContain(`Folder: ${FOLDER}`);
  expect(text).toContain("changed part_11.ts: ");
});

test("of a change the declaration is shown before the import", () => {
  const text = summaryOfAll([say("user", "Change it."), ...changes, say("user", "And now?")], 200);
  expect(text).toContain("export function newThing");
  expect(text).not.toContain('from "zod"');
});

test("what a shown file says about errors is no failure of the command", () => {
  const listing = Array.from({ length: 60 }, (_, at) => `line ${at}: throw new Error("it failed")`).join(
    "\n",
  );
  const messages = [
    say("user", "Look at it."),
    ...run("a", "cat src/errors.ts", listing),
    ...run("b", "make test", "2 failed: parser, lexer"),
    say("user", "And now?"),
  ];
  const text = summaryOfAll(messages, 300);
  expect(text).toContain("make test → 2 failed: parser, lexer");
  expect(text).not.toContain("→ line 0");
});

const write = (id: string, old: string, now: string, answer: string): Message[] => [
  {
    role: "assistant",
    parts: [
      {
        type: "tool-call",
        id,
        name: "Edit",
        args: JSON.stringify({ file_path: "/work/limits.ts", old_string: old, new_string: now }),
      },
    ],
  },
  { role: "tool", parts: [{ type: "tool-result", id, text: answer }] },
];

test.each([
  "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
  "The user doesn't want to proceed with this tool use. The tool use was rejected (the new text was NOT written to the file).",
  "apply_patch verification failed: expected lines weren't found in /work/limits.ts",
  "Error: old_string was found twice",
  '{"success": false, "message": "it was edited by somebody else"}',
  "0 replacements made",
  "Nothing changed: the text is the same",
  "Found 2 matches of the string to replace, but replace_all is false.",
])("an edit that was refused isn't told as a change: %s", (answer) => {
  const text = summaryOfAll(
    [
      say("user", "Limit it."),
      ...write("a", "x", "export function neverWritten(): void {}", answer),
      ...edit("b", "/work/other.ts", "export function reallyWritten(): void {}"),
      say("user", "And now?"),
    ],
    400,
  );
  expect(text).not.toContain("neverWritten");
  expect(text).toContain("changed /work/other.ts: export function reallyWritten");
});

test.each([
  "The file /work/not-found/errors.ts has been updated successfully.",
  "Edited limits.ts with no errors",
  '{"status":"ok","errors":[]}',
  '{"error":null,"success":true}',
  "Edited 2 files, 0 failed.",
  "File written; no backup was made",
  "```diff\n- if (error) return\n+ if (failed) return\n```",
  '{"output":"Success. Updated the following files:\\nM failed.ts"}',
  "All occurrences of 'throw new Error' were replaced",
])("an edit that was made is told as a change: %s", (answer) => {
  const text = summaryOfAll(
    [
      say("user", "Limit it."),
      ...write("a", "x", "export function limited(): void {}", answer),
      say("user", "Go on."),
    ],
    400,
  );
  expect(text).toContain("export function limited");
});

test("a line that a later edit took away isn't told as changed", () => {
  const text = summaryOfAll(
    [
      say("user", "Limit it."),
      ...write("a", "x", "export const SOFT_LIMIT = 41;\nexport const GRACE = 7;", "ok"),
      ...write("b", "export const SOFT_LIMIT = 41;", "export const HARD_LIMIT = 43;", "ok"),
      say("user", "And now?"),
    ],
    400,
  );
  expect(text).not.toContain("SOFT_LIMIT");
  expect(text).toContain("HARD_LIMIT = 43");
  expect(text).toContain("GRACE = 7");
});

test("what a person said when refusing an edit is shown, as words of the tool's answer", () => {
  const text = summaryOfAll(
    [
      say("user", "Limit it."),
      ...write("a", "x", "y", "The tool use was rejected. The user said: use limits-2.toml instead"),
      say("user", "And now?"),
    ],
    400,
  );
  expect(text).toMatch(/Edit[^»\n]*»[^\n]*limits-2\.toml/);
});
