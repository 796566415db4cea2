import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pages, withOptionTables } from "./lib/option-tables.mjs";
import { root } from "./lib/project.mjs";

test.each(Object.keys(pages) as (keyof typeof pages)[])(
  "%s has every option as the source says it",
  (page) => {
    const text = readFileSync(join(root, page), "utf8");
    expect(text, "node scripts/make-option-tables.mjs").toBe(withOptionTables(page, text));
    expect(text).not.toContain("|  |  |  |");
  },
);
