/** What the assistant found was left out if it said in a few words what it would do next. */
import { expect, test } from "vitest";
import { say, summaryOf, toolRound } from "../support/summary-of.ts";

const FOUND = "The issue is that `findBranches` searches all commits, including those that came from main.";

test.each(["Let me fix it.", "Let me fix it to look at the commits of that branch only.", "Fixing."])(
  "a finding before %j is told",
  (next) => {
    const messages = [
      say("user", "The same sessions are listed under every branch. Why?"),
      ...toolRound(
        "Read",
        { file_path: "data.go" },
        "func findBranches() {}\n".repeat(40),
        `${FOUND} ${next}`,
      ),
      ...toolRound("Edit", { file_path: "data.go", old_string: "a", new_string: "b" }, "updated"),
      say("assistant", "Done."),
    ];
    expect(summaryOf(messages, 400)).toContain(`What the assistant said:\n#2 ${FOUND}`);
  },
);
