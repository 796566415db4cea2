/** What the assistant found was left out if it said in a few words what it would do next. */
import { expect, test } from "vitest";
import { statementsOf } from "../../src/summaries/material/statements.ts";
import { say, toolRound } from "../support/summary-of.ts";

const FOUND = "The issue is that `findBranches` searches all commits, including those that came from main.";

test.each(["Let me fix it.", "Let me fix it to look at the commits of that branch only.", "Fixing."])(
  "a finding before %j is a statement, and the intention is none",
  (next) => {
    const messages = [
      say("user", "The same sessions are listed under every branch. Why?"),
      ...toolRound("Read", { file_path: "data.go" }, "func findBranches() {}", `${FOUND} ${next}`),
      ...toolRound("Edit", { file_path: "data.go", old_string: "a", new_string: "b" }, "updated"),
    ];
    const statements = statementsOf(messages, [...messages.keys()]);
    expect(statements.map(({ text }) => text)).toEqual([FOUND]);
  },
);
