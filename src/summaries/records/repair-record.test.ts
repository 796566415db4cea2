import { expect, it } from "vitest";
import type { State } from "../states/show-states.ts";
import { repairRecord } from "./repair-record.ts";

const state = (
  kind: State["kind"],
  name: string,
  status: State["status"],
  message: number,
  detail = "",
): State => ({
  kind,
  name,
  status,
  detail,
  message,
});
const states = [
  state("request", "PR 12", "merged", 39),
  state("push", "main", "pushed", 41),
  state("step", "Write tests for the lexer", "done", 20),
  state("step", "Document the parser", "todo", 20),
  state("tests", "npm test", "failing", 30, "2 failed"),
  state("process", "b5db730", "running", 33),
];
const covers = { from: 0, to: 50 };
const repair = (text: string) => repairRecord(text, covers, states);

it("marks a finished thing that a record calls open, whatever language the record is in", () => {
  expect(repair("## Open\n- PR #12 waits for review (#20)\n- Der Pull Request 12 ist noch offen")).toBe(
    "## Open\n- PR #12 waits for review (#20) [Merged: #40]\n- Der Pull Request 12 ist noch offen [Merged: #40]",
  );
  expect(repair("- PR 12 was not yet merged")).toBe("- PR 12 was not yet merged [Merged: #40]");
  expect(repair("## Open\n- Write tests for the lexer")).toContain("[Plan, done: #21]");
  expect(repair("## Open\n- The commits still had to be pushed")).toContain("[Pushed: #42]");
});

it("marks an open thing that a record calls done", () => {
  expect(repair("## Progress\n- All tests passed")).toContain("[Tests failing at their last run: #31]");
  expect(repair("## Progress\n- Server b5db730 was stopped")).toContain("[Started, no end seen: #34]");
  expect(repair("## Progress\n- Document the parser: done")).toContain("[Plan, open: #21]");
});

it.each([
  "## Progress\n- PR 12 was merged (#40)",
  "## Open\n- PR 12 was merged, the docs are left",
  "## Open\n- PR 123 waits for review",
  "## Open\n- Issue 12 waits (#12)",
  "## Progress\n- npm test failed with 2 failures, not all tests pass",
  "## Goal\n- Make all tests pass before the release, document the parser",
  "## Open\n- Document the parser",
  "## Findings\n- The lexer is in src/lexer.ts",
])("leaves alone what is right: %j", (record) => {
  expect(repair(record)).toBe(record);
});

it("doesn't hold against a record what happened after it", () => {
  const record = "## Progress\n- All tests passed";
  expect(repairRecord(record, { from: 0, to: 10 }, states)).toBe(record);
});
