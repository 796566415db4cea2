import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { page, withClientTable } from "./make-client-table.ts";

test("the guide's table of client programs is what their runs recorded, and no request was refused", () => {
  const text = readFileSync(page, "utf8");
  expect(text, "node scripts/make-client-table.ts").toBe(withClientTable(text));
  const rows = text.split("\n").filter((line) => /^\| [a-z-]+.* \| \d+ \| \d+ \| \d+ \|$/.test(line));
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row).toMatch(/\| 0 \|$/);
});
