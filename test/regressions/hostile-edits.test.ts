import { expect, it } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { fileChanges } from "../../src/recall/conversation-index.ts";
import { transcriptLines } from "../../src/summaries/material/lines.ts";
import { touchedFiles } from "../../src/summaries/write/files.ts";

// What takes too long shows as the test runner's own timeout: minutes instead of milliseconds.
let calls = 0;
function round(name: string, args: object, result = "ok"): Message[] {
  const id = `c${calls++}`;
  return [
    { role: "assistant", parts: [{ type: "tool-call", id, name, args: JSON.stringify(args) }] },
    { role: "tool", parts: [{ type: "tool-result", id, name, text: result }] },
  ];
}
const linesOf = (messages: readonly Message[]) => transcriptLines(messages).lines;
const charactersOf = (lines: readonly { readonly text: string }[]) =>
  lines.reduce((sum, { text }) => sum + text.length, 0);
const edit = (old_string: string, new_string: string) =>
  round("edit", { file_path: "a.ts", old_string, new_string, replace_all: true });

it("one letter is replaced everywhere in a line of 100,000", () => {
  const messages = [
    ...round("write", { file_path: "a.ts", content: "a".repeat(100_000) }),
    ...edit("a", "b"),
    ...edit("b", "a"),
  ];
  expect(charactersOf(linesOf(messages))).toBeLessThan(200_000);
});

it("a text that doubles with every edit doesn't fill the memory", () => {
  const messages = [
    ...round("write", { file_path: "a.ts", content: "a".repeat(1_000) }),
    ...Array.from({ length: 40 }, () => edit("a", "aa")).flat(),
  ];
  expect(charactersOf(linesOf(messages))).toBeLessThan(500_000);
});

it("a short edit of many lines isn't told with all of these lines", () => {
  const messages = [
    ...round("write", {
      file_path: "a.ts",
      content: Array.from({ length: 15_000 }, (_, n) => `a${n}`).join("\n"),
    }),
    ...Array.from({ length: 20 }, (_, n) => edit(n % 2 === 0 ? "a" : "b", n % 2 === 0 ? "b" : "a")).flat(),
  ];
  expect(linesOf(messages).length).toBeLessThan(30_000);
});

it("a line of 25 MB is read twice", () => {
  const text = "word ".repeat(5_000_000);
  const read = () => round("read", { file_path: "a.json" }, text);
  expect(linesOf([...read(), ...read()]).length).toBeGreaterThan(300_000);
});

it("a patch of 200,000 files is read", () => {
  const patch = [
    "*** Begin Patch",
    ...Array.from({ length: 200_000 }, (_, n) => `*** Delete File: a${n}`),
  ].join("\n");
  const messages = round("apply_patch", { patch });
  expect(touchedFiles(messages)).toHaveLength(200_000);
  expect(fileChanges(messages)(0, 0)).toBeUndefined();
});

it("thousands of files are moved", () => {
  const patch = ["*** Begin Patch"];
  for (let n = 0; n < 20_000; n++)
    patch.push(`*** Update File: a${n}`, `*** Move to: b${n}`, "@@", "-x", "+y");
  const moved = touchedFiles(round("apply_patch", { patch: patch.join("\n") }));
  expect(moved).toHaveLength(20_000);
  expect(moved[0]!.path).toBe("b19999");
});
