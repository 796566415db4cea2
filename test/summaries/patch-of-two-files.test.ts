import { expect, test } from "vitest";
import type { Message } from "../../src/core/types.ts";
import { say, summaryOfAll, toolRound } from "../support/summary-of.ts";

const told = (...rounds: readonly Message[][]): string =>
  summaryOfAll([say("user", "Change it."), ...rounds.flat(), say("user", "And now?")], 600);

const CODEX = `*** Begin Patch
*** Update File: src/alpha.ts
@@ class Alpha
 const before = 1;
-const oldAlpha = 2;
+export function newAlpha(): void {}
*** Update File: src/beta.ts
@@
-const oldBeta = 2;
+export function newBeta(): void {}
*** Add File: src/gamma.ts
+export function newGamma(): void {}
*** End Patch`;

const UNIFIED = `diff --git a/src/alpha.ts b/src/alpha.ts
index 83db48f..bf269f4 100644
--- a/src/alpha.ts
+++ b/src/alpha.ts
@@ -1,2 +1,2 @@
 const before = 1;
-const oldAlpha = 2;
+export function newAlpha(): void {}
diff --git a/src/beta.ts b/src/beta.ts
--- a/src/beta.ts
+++ b/src/beta.ts
@@ -1 +1 @@
-const oldBeta = 2;
+export function newBeta(): void {}
diff --git a/src/gamma.ts b/src/gamma.ts
new file mode 100644
--- /dev/null
+++ b/src/gamma.ts
@@ -0,0 +1 @@
+export function newGamma(): void {}
`;

test.each([
  ["Codex", toolRound("apply_patch", { input: CODEX }, "Success.")],
  ["Codex by a shell", toolRound("shell", { command: ["apply_patch", CODEX] }, "Success.")],
  [
    "Codex by bash",
    toolRound("shell", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${CODEX}\nEOF`] }, "Success."),
  ],
  ["opencode", toolRound("patch", { patchText: CODEX }, "Patch applied")],
  ["git apply", toolRound("bash", { command: `git apply <<'EOF'\n${UNIFIED}EOF` }, "")],
  [
    "VS Code",
    toolRound(
      "multi_replace_string_in_file",
      {
        replacements: ["alpha", "beta", "gamma"].map((name) => ({
          filePath: `src/${name}.ts`,
          oldString: `const old = "${name}";`,
          newString: `export function new${name[0]!.toUpperCase()}${name.slice(1)}(): void {}`,
        })),
      },
      "The files were successfully edited",
    ),
  ],
])("lines of a patch of several files stand under their own files: %s", (_, round) => {
  const text = told(round);
  expect(text).toMatch(/changed src\/alpha\.ts: export function newAlpha/);
  expect(text).toMatch(/changed src\/beta\.ts: export function newBeta/);
  expect(text).toMatch(/changed src\/gamma\.ts: export function newGamma/);
  expect(text).not.toContain("oldAlpha");
});

test("files of a patch whose lines have no room are all named", () => {
  const files = Array.from({ length: 5 }, (_, at) => `*** Update File: src/part_${at}.ts\n@@\n-a\n+b`);
  const text = summaryOfAll(
    [
      say("user", "Change it."),
      ...toolRound(
        "apply_patch",
        { input: `*** Begin Patch\n${files.join("\n")}\n*** End Patch` },
        "Success.",
      ),
      say("user", "And now?"),
    ],
    2_000,
  );
  for (let at = 0; at < 5; at++) expect(text).toContain(`part_${at}.ts`);
});

test("lines of a file that a patch deletes aren't told, nor its lines as added", () => {
  const text = told(
    toolRound("apply_patch", { input: CODEX }, "Success."),
    toolRound(
      "apply_patch",
      { input: "*** Begin Patch\n*** Delete File: src/beta.ts\n*** End Patch" },
      "Success. Updated the following files:\nD src/beta.ts",
    ),
  );
  expect(text).not.toContain("newBeta");
  expect(text).toContain("newAlpha");
  expect(text).toMatch(/deleted: src\/beta\.ts/);
});

test("a removed comment of SQL isn't taken for the head of a patch", () => {
  const patch = (body: string): Message[] =>
    toolRound(
      "apply_patch",
      { input: `*** Begin Patch\n*** Update File: a.sql\n@@\n${body}\n*** End Patch` },
      "ok",
    );
  const text = told(
    patch("+-- the hard limit of tenants is 43"),
    patch("--- the hard limit of tenants is 43\n+select 44;"),
  );
  expect(text).not.toContain("hard limit of tenants");
});
