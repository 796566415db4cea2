import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { root } from "./lib/project.ts";

/** What a run says that a person or a limit ends as soon as it has said its first word. */
async function runUnfinished(
  args: readonly string[],
  signal?: NodeJS.Signals,
): Promise<{ code: number; text: string }> {
  const child = spawn("node", ["scripts/test.ts", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    if (text === "" && signal !== undefined) child.kill(signal);
    text += piece;
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, text };
}

const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1);

test("what a time limit left out is said, counts as no failed test, and doesn't pass either", async () => {
  // The limit is over before the first step is.
  const { code, text } = await runUnfinished(["--minutes", "0.0001"]);
  expect(text).toMatch(/^lint: (not run|stopped), .* over the limit of 0.0001 minutes$/m);
  expect(text).toMatch(/^build: not run, /m);
  expect(text).toMatch(/^failed: time limit \(1\), .*imports not run, build not run/m);
  expect(lastLine(text)).toBe("0 passed, 1 failed");
  expect(code).toBe(1);
});

test.each(["SIGTERM", "SIGINT"] as const)("what %s left out didn't fail, it wasn't run", async (signal) => {
  const { code, text } = await runUnfinished([], signal);
  expect(text).toMatch(/^lint: stopped, .* the run was ended from outside$/m);
  expect(text).toMatch(/^tests: not run, .* the run was ended from outside$/m);
  expect(text).toMatch(
    /^failed: ended from outside \(1\): lint stopped, .*doc examples not run, bundle not run$/m,
  );
  expect(lastLine(text)).toMatch(/^\d passed, 1 failed$/);
  expect(code).toBe(1);
});
