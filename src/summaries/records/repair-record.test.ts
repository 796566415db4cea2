import { expect, it } from "vitest";
import { frameOf, loadFrame } from "../frames/frames.ts";
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

it.each([
  "PR #12 waits for review",
  "Der Pull Request 12 ist noch offen",
  "Pull request number 12 se espera",
  "PR (12) はまだレビュー待ち",
  "这个PR: 12 还没有合并 (#20)",
])("marks a finished thing among what is open: %s", (line) => {
  expect(repair(`## Open\n- ${line}`)).toBe(`## Open\n- ${line} [Merged: #40]`);
});

it("knows steps, pushes and tests", () => {
  expect(repair("## Open\n- Write tests for the lexer")).toContain("[Plan, done: #21]");
  expect(repair("## Open\n- The commits still had to be pushed")).toContain("[Pushed: #42]");
  expect(repair("## Open\n- Die Commits müssen noch gepusht werden")).toContain("[Pushed: #42]");
});

it("marks an open thing among what is done", () => {
  expect(repair("## Done\n- All tests passed")).toContain("[Tests failing at their last run: #31]");
  expect(repair("## Done\n- テストはすべて成功した")).toContain("[Tests failing at their last run: #31]");
  expect(repair("## Done\n- Server b5db730 was stopped")).toContain("[Started, no end seen: #34]");
  expect(repair("## Done\n- Document the parser: done")).toContain("[Plan, open: #21]");
});

it("knows headings of other languages", async () => {
  await loadFrame("de");
  const { states: words } = frameOf("de");
  const record = "## Offen\n- PR 12 wartet";
  expect(repairRecord(record, covers, states, frameOf("de"))).toBe(`${record} [${words.merged}: #40]`);
});

it.each([
  "## Done\n- PR 12 was merged (#40)",
  "## Open\n- PR 12 was merged (#38–40), the docs are left",
  "## Open\n- PR 123 waits for review",
  "## Open\n- Issue 12 waits (#12)",
  "## Open\n- PR reviews in 12 files",
  "## Done\n- npm test failed with 2 failures (#31)",
  "## Goal\n- Make all tests pass before the release, document the parser",
  "## Open\n- Document the parser",
  "## Findings\n- The lexer is in src/lexer.ts",
])("leaves alone what is right: %j", (record) => {
  expect(repair(record)).toBe(record);
});

it("doesn't hold against a record what happened after it", () => {
  const record = "## Done\n- All tests passed";
  expect(repairRecord(record, { from: 0, to: 10 }, states)).toBe(record);
});
