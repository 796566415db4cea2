import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./lib/project.ts";
import { pages, withOptionTables } from "./make-option-tables.ts";

test.each(Object.keys(pages) as (keyof typeof pages)[])(
  "%s has every option as the source says it",
  (page) => {
    const text = readFileSync(join(root, page), "utf8");
    expect(text, "node scripts/make-option-tables.ts").toBe(withOptionTables(page, text));
    expect(text).not.toContain("|  |  |  |");
  },
);
