import { expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { summaryMessage } from "../../src/summaries/summary-message.ts";

const count = (text: string): number => Math.ceil(text.length / 4);
const say = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});
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
const summaryOf = (messages: readonly Message[], cap: number): string =>
  summaryMessage({
    messages,
    hidden: [{ from: 0, to: messages.length }],
    visible: () => false,
    cap,
    count,
  })!.text;

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
  const text = summaryOf(messages, 700);
  for (const point of points) expect(text).toContain(point);
});

test("the folder of all files is said once", () => {
  const text = summaryOf([say("user", "Change it."), ...changes, say("user", "And now?")], 400);
  expect(text.split(FOLDER)).toHaveLength(2);
  expect(text).toContain(`Folder: ${FOLDER}`);
  expect(text).toContain("changed part_11.ts: ");
});

test("of a change the declaration is shown before the import", () => {
  const text = summaryOf([say("user", "Change it."), ...changes, say("user", "And now?")], 200);
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
  const text = summaryOf(messages, 300);
  expect(text).toContain("make test → 2 failed: parser, lexer");
  expect(text).not.toContain("→ line 0");
});
