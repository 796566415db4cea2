import { expect, test } from "vitest";
import { run } from "./lib/child.mjs";
import { root } from "./lib/project.mjs";

test("what a time limit left out is said, counts as no failed test, and doesn't pass either", async () => {
  // The limit is over before the first step is.
  const { code, stdout } = await run("node", ["scripts/test.mjs", "--minutes", "0.0001"], {
    cwd: root,
    output: "capture",
  });
  expect(stdout).toMatch(/^lint: (not run|stopped), .* over the limit of 0.0001 minutes$/m);
  expect(stdout).toMatch(/^types: not run, /m);
  expect(stdout).toMatch(/^failed: time limit \(1\), .*imports not run, types not run/m);
  expect(stdout.trim().split("\n").at(-1)).toBe("0 passed, 1 failed");
  expect(code).toBe(1);
});
