/** The beginning of a text, of at most so many units. A character of two units that doesn't fit whole is left out. */
export function firstCharacters(text: string, limit: number): string {
  const code = text.charCodeAt(limit - 1);
  const isHalf = code >= 0xd800 && code <= 0xdbff && limit < text.length;
  return text.slice(0, isHalf ? limit - 1 : limit).toWellFormed();
}

/** The text, or its beginning with a mark where it is longer than so many units. */
export function cutTo(text: string, limit: number): string {
  return text.length <= limit ? text : `${firstCharacters(text, limit).trimEnd()}…`;
}
