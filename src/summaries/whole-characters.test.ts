import { expect, test } from "vitest";
import { firstCharacters, lastCharacters } from "../core/first-characters.ts";
import { reportIn } from "./calls/outcomes.ts";
import { renderRun } from "./input/summarizer-input.ts";
import { typedText } from "./material/user-words.ts";
import { quote } from "./prompts/shared/frame.ts";

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

test("a text is cut behind an emoji that doesn't fit whole at its end", () => {
  expect(lastCharacters("😀ab", 2)).toBe("ab");
  expect(lastCharacters("😀ab", 3)).toBe("ab");
  expect(lastCharacters("😀ab", 4)).toBe("😀ab");
  expect(lastCharacters("😀ab", 9)).toBe("😀ab");
  expect(lastCharacters("ab", 0)).toBe("");
});

test.each(["", "x"])("no cut leaves half of an emoji (%j before them)", (before) => {
  const emoji = `${before}${"😀".repeat(8_000)}`;
  const file = { type: "file", source: "f", name: emoji } as const;
  const texts = [
    typedText(`${emoji}y`),
    typedText(emoji),
    quote(emoji),
    renderRun([{ role: "user", parts: [file] }], { from: 0, to: 1 }, "full"),
  ];
  for (const text of texts) {
    expect(text).toContain("😀");
    expect(text).not.toContain("\uFFFD");
    expect(text.isWellFormed()).toBe(true);
  }
});
