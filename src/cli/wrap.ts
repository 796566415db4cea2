import { stripVTControlCharacters } from "node:util";

/** Breaks a text at spaces; `hang` indents every line but the first. Colours have no width. */
export function wrap(text: string, width: number, hang = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = `${" ".repeat(hang)}${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const lengthOf = (text: string): number => stripVTControlCharacters(text).length;
