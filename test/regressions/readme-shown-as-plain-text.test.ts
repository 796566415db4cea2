import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isCheapMarkdown } from "../../web/src/state/markdown-work.ts";

test("a page with tables and code is Markdown", () => {
  expect(isCheapMarkdown(readFileSync(new URL("../../README.md", import.meta.url), "utf8"))).toBe(true);
});
