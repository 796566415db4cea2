import { stripVTControlCharacters } from "node:util";
import { firstCharacters } from "../core/first-characters.ts";
import type { Message, Part } from "../core/types.ts";

/** Control characters but tab and line feed: what a model, a tool or a page says must not steer the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that is safe on a terminal: no cursor movements, no colours, no titles, no bells. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/\r\n/g, "\n").replace(CONTROLS, "");

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${firstCharacters(text, Math.max(0, width - 1))}…`;

/** Characters of a text that a line is made from where nobody says how wide it is. */
const LINE_CHARS = 500;

/** One line of it, at most `width` characters. */
export const oneLine = (text: string, width = LINE_CHARS): string =>
  cut(
    plainText(firstCharacters(text, 4 * width))
      .replace(/\s+/g, " ")
      .trim(),
    width,
  );

/** The beginning of a message, on one line. */
export const previewOf = ({ parts }: Pick<Message, "parts">, width?: number): string =>
  oneLine(parts.map(partText).join(" "), width);

/** What a part says, in plain words, without reasoning. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `→ ${part.name}(${part.args})`;
    case "tool-result":
      return `← ${part.text}`;
    case "reasoning":
      return "";
    default:
      return `[${part.type}]`;
  }
}
