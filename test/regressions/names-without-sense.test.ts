import { expect, it } from "vitest";
import { say, summaryOf, toolRound } from "../support/summary-of.ts";

/** Work of an agent: much is read and edited, little is said. */
function work(rounds: number) {
  return [
    say("user", "Direct casts skip the validation. Use a constructor instead."),
    ...toolRound(
      "Grep",
      { pattern: "CheckpointID\\(", path: "/repo/src", output_mode: "content" },
      "src/a.ts:3",
    ),
    ...Array.from({ length: rounds }, (_, at) => [
      ...toolRound(
        "Read",
        { file_path: `/repo/src/part_${at}.ts`, offset: 10, limit: 40 },
        Array.from({ length: 30 }, (_, line) => `const value_${at}_${line} = compute_${line}(${at});`).join(
          "\n",
        ),
      ),
      ...toolRound(
        "Edit",
        {
          file_path: `/repo/src/part_${at}.ts`,
          old_string: `const oldName_${at} = 1;\nkeep_${at}();`,
          new_string: `const newName_${at} = makeId(${at});\nkeep_${at}();`,
        },
        `The file /repo/src/part_${at}.ts has been updated successfully.`,
      ),
    ]).flat(),
    ...toolRound(
      "Bash",
      { command: "npm test 2>&1 | tail -20" },
      `ok\n${"fine\n".repeat(200)}FAIL part_7 expects an id`,
    ),
    ...toolRound(
      "TodoWrite",
      {
        todos: [
          { content: "Replace the casts", status: "completed" },
          { content: "Write a migration", status: "pending" },
        ],
      },
      "Todos have been modified successfully.",
    ),
    say(
      "assistant",
      "Done. I replaced the casts by `makeId`.\n\nI decided against a panic, because stored ids may be damaged and a crash loses the session.",
    ),
    say("user", "Go on."),
  ];
}

it("says what was concluded and why, what was changed, how a command ended and what is open", () => {
  const text = summaryOf(work(40), 700);
  expect(text).toContain("I decided against a panic, because stored ids may be damaged");
  expect(text).toMatch(/changed \/repo\/src\/part_\d+\.ts: const newName_\d+ = makeId/);
  expect(text).toContain("npm test → FAIL part_7 expects an id");
  expect(text).toContain("Plan, open: Write a migration");
  expect(text).toContain("Plan, done: Replace the casts");
});

it("leaves out searches, receipts, what was replaced, and names of arguments", () => {
  const text = summaryOf(work(40), 700);
  for (const noise of [
    "Grep",
    "updated successfully",
    "oldName_",
    "file_path",
    "output_mode",
    "modified successfully",
  ])
    expect(text).not.toContain(noise);
});

it("doesn't begin a line in the middle of a sentence while whole ones are left", () => {
  const long = `The importer reads ${"one more column of the table and ".repeat(12)}then stops at zebra_crossing_9`;
  const messages = [
    say("user", "Look at the log."),
    ...toolRound(
      "fetch",
      { id: 1 },
      `${long}\n${Array.from({ length: 40 }, (_, at) => `step_${at} took ${at} ms`).join("\n")}`,
    ),
    say("user", "And now?"),
  ];
  for (const line of summaryOf(messages, 260).split("\n"))
    expect(line).not.toMatch(/^ ?(?:of the table|column of|one more|and one)/);
});
