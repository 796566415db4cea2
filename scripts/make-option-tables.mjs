// @ts-check
/** Writes the tables of options, settings and commands into the reference. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pages, withOptionTables } from "./lib/option-tables.mjs";
import { root } from "./lib/project.mjs";

for (const page of Object.keys(pages)) {
  const file = join(root, page);
  writeFileSync(file, withOptionTables(page, readFileSync(file, "utf8")));
}
