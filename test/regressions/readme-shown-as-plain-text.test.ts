import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseMarkdown } from "../../web/src/state/parse-markdown.ts";

test("a page with tables and code is Markdown", () => {
  expect(parseMarkdown(readFileSync(new URL("../../README.md", import.meta.url), "utf8"))).toBeDefined();
});
