/** Characters of a title at most. */
const MAX_TITLE = 500;

/** A text that every database can hold. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** A title on one line, of bounded length. */
export function cleanTitle(title: string): string {
  // Single spaces, of which there are many, are no match.
  return cleanText(title)
    .replace(/\s\s+|[^\S ]/g, " ")
    .trim()
    .slice(0, MAX_TITLE)
    .toWellFormed();
}
