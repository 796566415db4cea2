import { expect, it } from "vitest";
import { lengthInWords } from "./summarizer-input.ts";

const count = (text: string): number => Math.ceil(text.length / 4);
const prose = "The parser reads the file and writes what it found into the table of names. ";

it("says how long prose is, however much code and however many paths were talked of", () => {
  const plain = lengthInWords([prose.repeat(40)], count)(1_000);
  const paths = `${prose}/Users/dev/work/app/src/very/deep/folder/name-of-a-file.test.ts:120:33 `;
  expect(plain).toMatch(/^[5-7]\d0 words$/);
  expect(lengthInWords([paths.repeat(40)], count)(1_000)).toBe(plain);
});

it("counts characters where words have no blanks between them", () => {
  expect(
    lengthInWords(
      ["解析器读取文件并把找到的名称写入表中然后继续处理下一个文件".repeat(9)],
      (text) => text.length,
    )(500),
  ).toBe("500 characters");
});
