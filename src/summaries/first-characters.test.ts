import { expect, test } from "vitest";
import { reportIn } from "./delegated-report.ts";
import { firstCharacters } from "./first-characters.ts";

test("a text is cut before an emoji that doesn't fit whole", () => {
  expect(firstCharacters("ab😀", 2)).toBe("ab");
  expect(firstCharacters("ab😀", 3)).toBe("ab");
  expect(firstCharacters("ab😀", 4)).toBe("ab😀");
  expect(firstCharacters("ab😀", 9)).toBe("ab😀");
  expect(firstCharacters("ab", 0)).toBe("");
});

test("a report of emoji shows none of them as an unknown character", () => {
  for (const before of ["x", "xy"]) {
    const report = reportIn(`${before}${"😀".repeat(150)} 12.\n\n${before}${"😀".repeat(150)} 13.`);
    expect(report).toContain("😀…");
    expect(report).not.toContain("\uFFFD");
  }
});
