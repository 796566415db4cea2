import { firstCharacters } from "../../core/first-characters.ts";

/** Characters of a title at most. */
const MAX_TITLE = 500;

/** A text that every database can hold. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Single spaces, of which there are many, are no match: replacing them by themselves is most of the work. */
export function inOneLine(text: string): string {
  return text.replace(/\s\s+|[^\S ]/g, " ").trim();
}

/** A title on one line, of bounded length. */
export function cleanTitle(title: string): string {
  return firstCharacters(inOneLine(cleanText(title)), MAX_TITLE);
}
