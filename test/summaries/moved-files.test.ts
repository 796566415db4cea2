import { describe, expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { touchedFiles } from "../../src/summaries/ledger.ts";
import { shellCommands } from "../../src/summaries/shell-commands.ts";
import { growth, LINEAR } from "../support/growth.ts";
import { say, summaryOfAll, toolRound } from "../support/summary-of.ts";

const told = (...rounds: readonly Message[][]): string =>
  summaryOfAll([say("user", "Change it."), ...rounds.flat(), say("user", "And now?")], 600);

const ROOT = "/home/dev/project/";
const wrote = (path: string, text: string): Message[] =>
  toolRound("Write", { file_path: path, content: text }, "File created successfully");
const alpha = () => wrote(`${ROOT}src/alpha.ts`, "export function newAlpha(): void {}");
const beta = () => wrote(`${ROOT}src/beta.ts`, "export function newBeta(): void {}");
const run = (command: string, answer = "", args: object = {}): Message[] =>
  toolRound("Bash", { command, ...args }, answer);

const MOVES: Readonly<Record<string, Message[]>> = {
  mv: run(`mv ${ROOT}src/alpha.ts ${ROOT}src/gamma.ts`),
  "git mv, from a folder within the project": run(
    "cd src && git mv alpha.ts gamma.ts && git status",
    "renamed",
  ),
  "git mv with a failing check behind it": run(
    "git mv src/alpha.ts src/gamma.ts && npm test",
    "Exit code 1\n2 tests failed",
  ),
  "mv in a list of arguments": toolRound("shell", { command: ["mv", "src/alpha.ts", "src/gamma.ts"] }, ""),
  "mv with quotes": run(`mkdir -p src; mv -f "src/alpha.ts" 'src/gamma.ts'`),
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
    // The command itself may be quoted.
    expect(text.replace(/^.*» .*$/gm, "").replace(/^#\d+ (?:Bash|shell) .*$/gm, "")).not.toContain(
      "alpha.ts",
    );
  },
);

test("files of a folder that was moved are told where they are now", () => {
  const text = told(alpha(), beta(), run("git mv src lib"));
  expect(text).toContain(`Folder: ${ROOT}lib/`);
  expect(text).toContain("changed alpha.ts: export function newAlpha");
  expect(text).toContain("changed beta.ts: export function newBeta");
});

test("files that were moved into a folder are told as there", () => {
  const text = told(alpha(), beta(), run("mv src/*.ts lib/"));
  expect(text).toContain(`Folder: ${ROOT}lib/`);
  expect(text).toContain("changed alpha.ts: export function newAlpha");
  expect(text).toContain("changed beta.ts: export function newBeta");
});

test("an edit under the new name takes away what was written under the old one", () => {
  const text = told(
    alpha(),
    run("git mv src/alpha.ts src/gamma.ts"),
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
  rm: run("rm src/alpha.ts"),
  "rm -f with the whole path": run(`rm -f ${ROOT}src/alpha.ts`),
  "git rm": run("git rm src/alpha.ts", "rm 'src/alpha.ts'"),
  "git -C": run(`git -C ${ROOT} rm -q src/alpha.ts`),
  "a pattern": run("rm src/alph*.ts"),
  "a tool": toolRound("delete_file", { target_file: `${ROOT}src/alpha.ts` }, "Deleted"),
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

test("what was in a deleted folder isn't told as there", () => {
  const text = told(alpha(), beta(), run("rm -rf src/"));
  expect(text).not.toContain("newAlpha");
  expect(text).not.toContain("newBeta");
});

test.each([
  ["no such file", run("rm src/alpha.ts", "rm: cannot remove 'src/alpha.ts': Permission denied")],
  [
    "refused",
    run("rm src/alpha.ts", "The user doesn't want to proceed with this tool use. The tool use was rejected."),
  ],
  ["only from the index", run("git rm --cached src/alpha.ts", "rm 'src/alpha.ts'")],
  ["another file", run("rm test/alpha.ts")],
  ["quoted", run('echo "rm src/alpha.ts"', "rm src/alpha.ts")],
  ["behind a check that failed", run("npm test && rm src/alpha.ts", "Exit code 1\n2 tests failed")],
  ["in a text that is written", run("cat <<'EOF' > notes.md\nrm src/alpha.ts\nEOF")],
  ["if something else fails", run("make || rm src/alpha.ts", "built")],
])("a file that wasn't deleted is told as there: %s", (_, round) => {
  expect(told(alpha(), round)).toContain("newAlpha");
});

test("a file that a command writes anew isn't told with its old lines", () => {
  const text = told(alpha(), run("node make.js > src/alpha.ts"));
  expect(text).not.toContain("newAlpha");
});

test("many moves and deletions among many files take no longer each", () => {
  const rounds = (size: number): Message[] =>
    Array.from({ length: size }, (_, at) => [
      ...wrote(`${ROOT}src/part_${at}.ts`, `export const part${at} = ${at};`),
      ...run(`git mv src/part_${at}.ts lib/ && rm -rf "build/part_${at}" > /dev/null`),
    ]).flat();
  expect(growth((size) => touchedFiles(rounds(size)), 150)).toBeLessThan(LINEAR);
});

test.each(["'", '"\\', "{", "a{", "{}", "$((", "\\", " ", ">", "a=", "<<"])(
  "a command line of nothing but %s is read in no time",
  (sign) => {
    expect(growth((size) => shellCommands(sign.repeat(size)), 500)).toBeLessThan(LINEAR);
  },
);
