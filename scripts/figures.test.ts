import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkFigures } from "./lib/figures.ts";
import { filesBelow, root } from "./lib/project.ts";

const results = (name: string): unknown =>
  JSON.parse(readFileSync(join(root, `bench/results/${name}.json`), "utf8"));

const pages = ["README.md", ...filesBelow(root, "docs", /^docs\/(?!decisions|reference\/generated).*\.md$/)];

test.each(pages)("the figures of %s are what was measured last", (page) => {
  expect(checkFigures(readFileSync(join(root, page), "utf8"), results).faults).toEqual([]);
});

test("the pages name the results that most of their figures come from", () => {
  const counts = pages.map((page) => checkFigures(readFileSync(join(root, page), "utf8"), results).values);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(150);
});

const read = () => ({ rows: [{ id: "a", size: 1, ms: 3316.2, share: 0.508 }], few: [1.25, 2] });
const faultsOf = (page: string) => checkFigures(page, read).faults;

test("a figure that was rounded as its page shows it agrees", () => {
  const table = "| a | 3,300 | 50.8 % |\n| --- | --- | --- |";
  const sources = "x > rows > id=a & size=1 > ms\nx > rows > id=a > share × 1000 ÷ 10";
  expect(faultsOf(`<!-- figures\n${sources}\n-->\n\n${table}\n`)).toEqual([]);
  expect(faultsOf("<!-- figures\nx > few > *\n-->\nFrom 1.3 to 2 of them.\n")).toEqual([]);
});

test("names in braces make a line each", () => {
  expect(
    faultsOf("<!-- figures\nx > rows > id=a > {ms,share}\n-->\nIt took 3,316.2 ms, and 0.508 of it.\n"),
  ).toEqual([]);
  expect(faultsOf("<!-- figures\nx > rows > id={a,b} > ms\n-->\nIt took 3,316.2 ms.\n")).toHaveLength(1);
});

test("two rows may show the same figure", () => {
  const sources = "x > rows > id=a > share × 1000 ÷ 10\nx > rows > id=a > share × 100";
  expect(faultsOf(`<!-- figures\n${sources}\n-->\n\n| a | 50.8 |\n| b | 50.8 |\n`)).toEqual([]);
});

test("a wrong figure, a path that leads nowhere, and a figure without a source are faults", () => {
  expect(faultsOf("<!-- figures\nx > few > *\n-->\nFrom 2 to 1.3 of them.\n")).toContainEqual({
    line: 2,
    message: "x > few > * is 1.25 | 2",
  });
  expect(faultsOf("<!-- figures\nx > rows > id=b > ms\n-->\nIt took 3 ms.\n")[0]?.message).toContain(
    "x.json has no number at rows > id=b > ms",
  );
  expect(faultsOf("<!-- figures\nx > few > *\n-->\nFrom 1.3 to 2 of 88, in 7.7 s.\n")[0]?.message).toContain(
    "no result is named for 7.7",
  );
  expect(faultsOf("<!-- figures\nx > few > *\n-->\n| 1.3 | 2 |\n| 7.7 | |\n")).toEqual([
    { line: 1, message: "no result is named for 7.7 in what follows" },
  ]);
});
