import { expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { outcomesOf } from "../../src/summaries/outcomes.ts";
import { summaryMessage } from "../../src/summaries/summary-message.ts";
import { growth, LINEAR } from "../support/growth.ts";

let calls = 0;
const run = (command: string, text: string, name = "bash"): Message[] => {
  const id = `c${calls++}`;
  return [
    { role: "assistant", parts: [{ type: "tool-call", id, name, args: JSON.stringify({ command }) }] },
    { role: "tool", parts: [{ type: "tool-result", id, text }] },
  ];
};
const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const linesOf = (messages: readonly Message[]): string => {
  const all = [say("Change it."), ...messages, say("And now?")];
  const { text } = summaryMessage({
    messages: all,
    hidden: [{ from: 0, to: all.length }],
    visible: () => false,
    cap: 1_500,
    count: (one) => Math.ceil(one.length / 4),
  })!;
  // What single lines show beside them isn't meant.
  return text
    .split("\n")
    .filter((line) => line.includes("» ") && (line.includes(" → ") || /» (?:passed|done): /.test(line)))
    .join("\n");
};
const passing = Array.from({ length: 20 }, (_, at) => `ok  \tapp/part${at}\t(cached)`).join("\n");

test("of a failed run the place and the value are shown, not the runner's last word", () => {
  const lint = `Exit code 1\n[lint] $ linter run ./...\ncommon_test.go:373:16: string "main" has 5 occurrences (goconst)\n\tref := "main"\n1 issues:\n* goconst: 1\n[lint] ERROR task failed`;
  const tests = `Exit code 1\n[test] $ go test ./...\n[test] ERROR task failed\n${passing}\n2026/01/27 13:36:41 INFO saved error=none\n    shares_test.go:760: Percentage = 33.3%, want ~42.9%\nFAIL\nFAIL\tapp/shares\t3.238s\n${passing}\nFAIL`;
  const shown = linesOf([...run("mise run lint 2>&1", lint), ...run("mise run test | tail -80", tests)]);
  expect(shown).toContain('mise run lint → common_test.go:373:16: string "main" has 5 occurrences (goconst)');
  expect(shown).toContain("mise run test → shares_test.go:760: Percentage = 33.3%, want ~42.9%");
  expect(shown).not.toContain("task failed");
  expect(shown).not.toContain("FAIL");
});

test.each([
  [
    "pytest -q",
    "FF\nE       assert 3 == 4\ntests/test_a.py:12: AssertionError\n1 failed, 3 passed",
    "tests/test_a.py:12: AssertionError",
  ],
  [
    "cargo build",
    "   Compiling app\nerror[E0308]: mismatched types\n --> src/main.rs:4:5\nerror: could not compile `app`",
    "error[E0308]: mismatched types",
  ],
  [
    "npx tsc",
    "src/a.ts(12,3): error TS2322: Type 'x' is not assignable to 'y'.\nFound 1 error.",
    "src/a.ts(12,3): error TS2322",
  ],
  [
    "npm test",
    "> app@1.0.0 test\n> vitest run\n\n FAIL  a.test.ts > adds\nAssertionError: expected 3 to be 4\nTests  1 failed | 8 passed",
    "AssertionError: expected 3 to be 4",
  ],
  [
    "mvn test",
    "[INFO] Building app\n[ERROR] /src/File.java:[12,8] cannot find symbol\n[ERROR] BUILD FAILURE",
    "[ERROR] /src/File.java:[12,8] cannot find symbol",
  ],
  [
    "dotnet build",
    "Program.cs(3,5): error CS0103: The name 'x' does not exist\nBuild FAILED.",
    "Program.cs(3,5): error CS0103",
  ],
  ["foo --bar", "zsh:1: command not found: foo", "command not found: foo"],
])("what %s failed of is found by its form", (command, output, telling) => {
  const [said = "", outcome = ""] = linesOf(run(command, output)).split(" → ");
  expect(said).toBe(`#3 bash» ${command}`);
  expect(outcome).toContain(telling);
});

test("a failure that a later run mended isn't shown as if it were still there", () => {
  const failure = "a.go:12:3: undefined: x";
  const shown = linesOf([
    ...run("cd /src/app && go build ./... 2>&1 | head -50", failure),
    ...run("go build ./... 2>&1 | head -100", ""),
    ...run(
      "mise run fmt && mise run lint",
      "[lint] $ linter run\nb.go:1:2: error is not nil (nilerr)\n[lint] ERROR task failed",
    ),
    ...run("mise run lint", "[lint] $ linter run\n0 issues."),
    ...run("timeout 60 make check", "Error: it broke"),
    ...run("make check && make docs", "ok all of it\nok docs"),
  ]);
  expect(shown).not.toContain("undefined");
  expect(shown).not.toContain("nilerr");
  expect(shown).not.toContain("it broke");
  expect(shown).toContain("passed: make check && make docs · mise run lint (#9) · go build ./... (#5)");
});

test("a chain of which only the innocent step passed later is still shown as failed", () => {
  const shown = linesOf([
    ...run("make test && make lint", "Exit code 1\na_test.c:3:1: got 4, want 5"),
    ...run("make lint", "linting\n0 issues."),
  ]);
  expect(shown).toContain("make test && make lint → a_test.c:3:1: got 4, want 5");
});

test("what passed is named with its count, and what changed something without a word is named, too", () => {
  const shown = linesOf([
    ...run("npm test", `${"✓ a case\n".repeat(200)}Tests  12 passed (12)`),
    ...run("rm /home/dev/work/project/docs/architecture/adr-001-ownership.md", ""),
    ...run("mise run fmt", "[fmt] $ gofmt -w ."),
    ...run("git commit -m \"$(cat <<'EOF'\nA title\nEOF\n)\"", "[main 22c57db] A title\n 3 files changed"),
  ]);
  expect(shown).toContain("passed: npm test (12 passed)");
  expect(shown).toMatch(/done: .*rm adr-001-ownership\.md/);
  expect(shown).toMatch(/mise run fmt(?! →)/);
  expect(shown).toContain("git commit -m … → [main 22c57db] A title");
});

test("commands that only look something up aren't named, unless they failed", () => {
  const shown = linesOf([
    ...run("git status && git diff | head -20", "On branch main"),
    ...run('grep -rn "error" src | sort | uniq', "src/a.ts:12: error: no such thing"),
    ...run("for f in *.ts; do\n  wc -l $f\ndone", "12 a.ts"),
    ...run("Get-Content a.ts | Select-Object -First 3", "let a;"),
    ...run("docker ps", "CONTAINER ID"),
    ...run("cat nowhere.txt", "Exit code 1\ncat: nowhere.txt: No such file or directory"),
    ...run("grep -q x a.ts", "Exit code 1"),
  ]);
  expect(shown.split("\n")).toHaveLength(1);
  expect(shown).toContain("cat nowhere.txt → cat: nowhere.txt: No such file or directory");
});

test("words of failure in what a passing run prints are no failure", () => {
  const log =
    "main_test.go:14: Phase 5: error handling\nErrorList: shown\n--- PASS: TestErrors (0.1s)\nPASS\nok  \tapp\t0.4s";
  expect(linesOf(run("go test -v ./... | tail -20", log))).toContain("passed: go test -v ./...");
  const exited = "Process exited with code 0\nOutput:\nError: shown on purpose";
  expect(linesOf(run("make demo", exited, "exec_command"))).not.toContain("Output:");
  expect(outcomesOf(run("make demo", exited), () => true)).toMatchObject([{ ended: "said" }]);
});

test("an exit code that a shell is asked for counts, and the question isn't part of the command", () => {
  expect(linesOf(run('make all > /dev/null; echo "exit: $?"', "exit: 2"))).toBe(
    "#3 bash» make all → failed (2)",
  );
});

test("a command whose last result is still visible isn't told from an older one", () => {
  const messages = [...run("make", "a.c:1:1: error: broken"), ...run("make 2>&1", "ok")];
  expect(outcomesOf(messages, (index) => index < 2)).toEqual([]);
});

test.each([
  ["one long line", (size: number) => run("make", "a.b:".repeat(size))],
  ["many lines", (size: number) => run("make", "a.go:1:2: x\n".repeat(size))],
  ["many blanks", (size: number) => run("make", `${" ".repeat(size)}x`)],
  ["a long command", (size: number) => run(`make ${"'a\" > ".repeat(size)}`, "")],
  ["a command of blanks", (size: number) => run(`make${" ".repeat(size)}>${" ".repeat(size)}x`, "")],
  [
    "many commands",
    (size: number) =>
      Array.from({ length: size / 40 }, (_, at) => run(`make ${at} && make all`, "a.go:1:2: x")).flat(),
  ],
])("outcomes of %s take time in proportion to their length", (_, messagesOf) => {
  const cost = growth((size) => outcomesOf(messagesOf(size), () => true), 4_000);
  expect(cost).toBeLessThan(LINEAR);
});
