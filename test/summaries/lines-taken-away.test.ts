import { describe, expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { say, summaryOfAll, toolRound } from "../support/summary-of.ts";

/** What is told after rounds of tools. */
const told = (...rounds: readonly Message[][]): string =>
  summaryOfAll([say("user", "Limit it."), ...rounds.flat(), say("user", "And now?")], 600);

const FILE = "/work/limits.ts";
const SOFT = "export const SOFT_LIMIT = 41;";
const GRACE = "export const GRACE_PERIOD = 7;";
const HARD = "export const HARD_LIMIT = 43;";

/** How programs write a whole file. */
const WRITES = {
  "Claude Code": (text: string) =>
    toolRound("Write", { file_path: FILE, content: text }, "File created successfully"),
  opencode: (text: string) => toolRound("write", { filePath: FILE, content: text }, "Wrote file"),
  "Gemini CLI": (text: string) =>
    toolRound("write_file", { file_path: FILE, content: text }, "Successfully wrote"),
  Cline: (text: string) => toolRound("write_to_file", { path: FILE, content: text }, "The content was saved"),
  OpenHands: (text: string) =>
    toolRound(
      "str_replace_editor",
      { command: "create", path: FILE, file_text: text },
      "File created successfully",
    ),
  Codex: (text: string) =>
    toolRound(
      "apply_patch",
      { input: `*** Begin Patch\n*** Add File: ${FILE}\n${plus(text)}\n*** End Patch` },
      "Success. Updated the following files:\nA limits.ts",
    ),
} as const;

/** How programs replace a text. */
const EDITS = {
  "Claude Code": (old: string, now: string, all = false) =>
    toolRound("Edit", { replace_all: all, file_path: FILE, old_string: old, new_string: now }, "ok"),
  MultiEdit: (old: string, now: string, all = false) =>
    toolRound(
      "MultiEdit",
      { file_path: FILE, edits: [{ old_string: old, new_string: now, replace_all: all }] },
      "Applied 1 edit",
    ),
  opencode: (old: string, now: string, all = false) =>
    toolRound("edit", { filePath: FILE, oldString: old, newString: now, replaceAll: all }, "Edit applied"),
  pi: (old: string, now: string) =>
    toolRound("edit", { path: FILE, edits: [{ oldText: old, newText: now }] }, "Successfully replaced text"),
  "Gemini CLI": (old: string, now: string, all = false) =>
    toolRound(
      "replace",
      { file_path: FILE, old_string: old, new_string: now, ...(all && { expected_replacements: 2 }) },
      "Successfully modified file",
    ),
  OpenHands: (old: string, now: string) =>
    toolRound(
      "str_replace_editor",
      { command: "str_replace", path: FILE, old_str: old, new_str: now },
      "The file has been edited.",
    ),
  Cline: (old: string, now: string) =>
    toolRound(
      "replace_in_file",
      { path: FILE, diff: `------- SEARCH\n${old}\n=======\n${now}\n+++++++ REPLACE` },
      "The updated content was saved",
    ),
  "Cline before": (old: string, now: string) =>
    toolRound(
      "replace_in_file",
      { path: FILE, diff: `<<<<<<< SEARCH\n${old}\n=======\n${now}\n>>>>>>> REPLACE` },
      "The updated content was saved",
    ),
} as const;

function plus(text: string): string {
  return text
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n");
}

describe.each(Object.entries(WRITES))("%s", (_, write) => {
  test("a file that was written anew isn't told with its old lines", () => {
    const text = told(write(`${SOFT}\n${GRACE}`), write(`${HARD}\n${GRACE}`));
    expect(text).not.toContain("SOFT_LIMIT");
    expect(text).toContain(HARD);
    expect(text).toContain(GRACE);
  });
});

describe.each(Object.entries(EDITS))("%s", (_, edit) => {
  test("a line that was replaced isn't told, and the one in its place is", () => {
    const text = told(WRITES["Claude Code"](`${SOFT}\n${GRACE}`), edit(SOFT, HARD));
    expect(text).not.toContain("SOFT_LIMIT");
    expect(text).toContain(HARD);
    expect(text).toContain(GRACE);
  });

  test("lines that were replaced by nothing aren't told", () => {
    const text = told(WRITES["Claude Code"](`${SOFT}\n${GRACE}`), edit(`${SOFT}\n`, ""));
    expect(text).not.toContain("SOFT_LIMIT");
    expect(text).toContain(GRACE);
  });
});

const IN_A_LINE = ["Claude Code", "MultiEdit", "opencode", "pi", "Gemini CLI", "OpenHands"] as const;

describe.each(IN_A_LINE)("%s", (name) => {
  test("a line of which a part was replaced is told as it is now", () => {
    const text = told(
      WRITES["Claude Code"](`${SOFT}\n${GRACE}`),
      EDITS[name]("SOFT_LIMIT = 41", "FIRM_LIMIT = 42"),
    );
    expect(text).not.toContain("SOFT_LIMIT");
    expect(text).toContain("export const FIRM_LIMIT = 42;");
    expect(text).toContain(GRACE);
  });
});

describe.each(["Claude Code", "MultiEdit", "opencode", "Gemini CLI"] as const)("%s", (name) => {
  test("where all places were replaced, none is told with its old words", () => {
    const text = told(
      WRITES["Claude Code"]("export const waitingRoom = 7;\nexport const size = waitingRoom * 2;"),
      EDITS[name]("waitingRoom", "lobby", true),
    );
    expect(text).not.toContain("waitingRoom");
    expect(text).toContain("export const lobby = 7;");
    expect(text).toContain("export const size = lobby * 2;");
  });
});

test("a line that was read and then changed in a part is told as it is now, and not as it was read", () => {
  const text = told(
    toolRound("Read", { file_path: FILE }, `     1→${SOFT}\n     2→${GRACE}\n`),
    EDITS["Claude Code"]("41", "42"),
  );
  expect(text).toContain("export const SOFT_LIMIT = 42;");
  expect(text).not.toContain("SOFT_LIMIT = 41");
});

test("two looks at a line that is gone since aren't told", () => {
  const read = (): Message[] => toolRound("Read", { file_path: FILE }, `     1→${SOFT}\n     2→${GRACE}\n`);
  const text = told(read(), read(), EDITS["Claude Code"](SOFT, HARD));
  expect(text).not.toContain("SOFT_LIMIT");
  expect(text).toContain("HARD_LIMIT");
});

test("a line that was moved within its file is told as there", () => {
  const text = told(
    toolRound("Read", { file_path: FILE }, `     1→${SOFT}\n     2→${GRACE}\n`),
    EDITS["Claude Code"](GRACE, `${GRACE}\n${SOFT}`),
    EDITS["Claude Code"](`${SOFT}\n${GRACE}`, GRACE),
  );
  expect(text).toContain(SOFT);
});

test("an edit that was refused takes nothing away", () => {
  const text = told(
    WRITES["Claude Code"](`${SOFT}\n${GRACE}`),
    toolRound(
      "Edit",
      { file_path: FILE, old_string: SOFT, new_string: HARD },
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
    ),
  );
  expect(text).toContain(SOFT);
  expect(text).not.toContain("HARD_LIMIT");
});

test("lines that are written into the middle of a file take nothing away", () => {
  const text = told(
    WRITES["Claude Code"](`${SOFT}\n${GRACE}`),
    toolRound("str_replace_editor", { command: "insert", path: FILE, insert_line: 1, new_str: HARD }, "done"),
    toolRound("append_to_file", { path: FILE, content: "export const LAST_LIMIT = 44;" }, "done"),
    toolRound(
      "edit_lines",
      { path: FILE, start_line: 9, end_line: 9, content: "export const NINTH = 45;" },
      "done",
    ),
  );
  for (const line of [SOFT, GRACE, HARD, "LAST_LIMIT = 44", "NINTH = 45"]) expect(text).toContain(line);
});

test("a search in a file is no edit of it", () => {
  const text = told(
    WRITES["Claude Code"](`${SOFT}\n${GRACE}`),
    toolRound("find_in_file", { path: FILE, search: SOFT }, `1: ${SOFT}`),
  );
  expect(text).toContain(SOFT);
});
