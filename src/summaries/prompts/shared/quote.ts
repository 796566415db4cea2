import { firstCharacters } from "../../../core/first-characters.ts";
import { contain } from "../../text/escape.ts";

/** Longest quotation inside a sentence of ours, in characters. */
const MAX_QUOTE = 100;

/** The beginning of a text from outside as one quoted line that can't draw a border. */
export function quote(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  const start = line.length > MAX_QUOTE ? firstCharacters(line, MAX_QUOTE).trimEnd() : line;
  return JSON.stringify(contain(start));
}
