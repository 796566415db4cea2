import { stripVTControlCharacters } from "node:util";
import { firstCharacters } from "../../core/first-characters.ts";

/** Control characters but tab and line feed: a model's or a page's text must not steer the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that is safe on a terminal: no cursor movements, no colours, no titles, no bells. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/\r\n/g, "\n").replace(CONTROLS, "");

/** One line of it, at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = plainText(firstCharacters(text, 4 * width))
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= width ? line : `${firstCharacters(line, Math.max(0, width - 1))}…`;
}
