import { describe, expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { touchedFiles } from "../../src/summaries/write/files.ts";
import { growth, LINEAR } from "../support/growth.ts";
import { say, summaryOfAll, toolRound } from "../support/summary-of.ts";

const told = (...rounds: readonly Message[][]): string =>
  summaryOfAll([say("user", "Change it."), ...rounds.flat(), say("user", "And now?")], 600);

const ROOT = "/home/dev/project/";
const wrote = (path: string, text: string): Message[] =>
  toolRound("Write", { file_path: path, content: text }, "File created successfully");
const alpha = () => wrote(`${ROOT}src/alpha.ts`, "export function newAlpha(): void {}");
const beta = () => wrote(`${ROOT}src/beta.ts`, "export function newBeta(): void {}");

const MOVES: Readonly<Record<string, Message[]>> = {
  "a tool": toolRound(
    "move_file",
    { source: `${ROOT}src/alpha.ts`, destination: `${ROOT}src/gamma.ts` },
    "Successfully moved",
  ),
  "another tool": toolRound(
    "rename_file",
    { old_path: `${ROOT}src/alpha.ts`, new_path: `${ROOT}src/gamma.ts` },
    "ok",
  ),
  "a patch": toolRound(
    "apply_patch",
    {
      input: `*** Begin Patch\n*** Update File: ${ROOT}src/alpha.ts\n*** Move to: ${ROOT}src/gamma.ts\n@@\n-a\n+b\n*** End Patch`,
    },
    "Success.",
  ),
};

test.each(Object.entries(MOVES))(
  "a file that was moved is told under the name that it has now: %s",
  (_, move) => {
    const text = told(alpha(), beta(), move);
    expect(text).toMatch(/changed \S*gamma\.ts: export function newAlpha/);
    expect(text).toMatch(/changed \S*beta\.ts: export function newBeta/);
    expect(text.replace(/^#\d+ \S*move\S* .*$/gm, "")).not.toContain("alpha.ts:");
  },
);

test("an edit under the new name takes away what was written under the old one", () => {
  const text = told(
    alpha(),
    MOVES["a tool"]!,
    toolRound(
      "Edit",
      { file_path: `${ROOT}src/gamma.ts`, old_string: "newAlpha", new_string: "newGamma" },
      "ok",
    ),
  );
  expect(text).toContain("export function newGamma(): void {}");
  expect(text).not.toContain("newAlpha");
});

const DELETIONS: Readonly<Record<string, Message[]>> = {
  "a tool": toolRound("delete_file", { target_file: `${ROOT}src/alpha.ts` }, "Deleted"),
  "a patch": toolRound(
    "apply_patch",
    { input: `*** Begin Patch\n*** Delete File: ${ROOT}src/alpha.ts\n*** End Patch` },
    "Success.",
  ),
};

describe.each(Object.entries(DELETIONS))("%s", (_, deletion) => {
  test("what was written into a file that was deleted isn't told as there", () => {
    const text = told(alpha(), beta(), deletion);
    expect(text).not.toContain("newAlpha");
    expect(text).toContain("newBeta");
  });

  test("a file that was written again after it was deleted is told", () => {
    const text = told(alpha(), deletion, wrote(`${ROOT}src/alpha.ts`, "export function second(): void {}"));
    expect(text).toContain("export function second");
    expect(text).not.toContain("newAlpha");
  });
});

test.each([
  ["another file", toolRound("delete_file", { target_file: `${ROOT}test/alpha.ts` }, "Deleted")],
  [
    "refused",
    toolRound(
      "delete_file",
      { target_file: `${ROOT}src/alpha.ts` },
      "<tool_use_error>Permission denied</tool_use_error>",
    ),
  ],
])("a file that wasn't deleted is told as there: %s", (_, round) => {
  expect(told(alpha(), round)).toContain("newAlpha");
});

test("many moves and deletions among many files take no longer each", () => {
  const rounds = (size: number): Message[] =>
    Array.from({ length: size }, (_, at) => [
      ...wrote(`${ROOT}src/part_${at}.ts`, `export const part${at} = ${at};`),
      ...toolRound(
        "move_file",
        { source: `${ROOT}src/part_${at}.ts`, destination: `${ROOT}lib/part_${at}.ts` },
        "moved",
      ),
      ...toolRound("delete_file", { target_file: `${ROOT}build/part_${at}.ts` }, "Deleted"),
    ]).flat();
  expect(growth((size) => touchedFiles(rounds(size)), 150)).toBeLessThan(LINEAR);
});
