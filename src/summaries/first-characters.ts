/** The part of a text between two places. A character of two units that doesn't stand in it whole is left out. */
export function textBetween(text: string, from: number, to: number): string {
  const start = splitsCharacter(text, from) ? from + 1 : from;
  return text.slice(start, splitsCharacter(text, to) ? to - 1 : to).toWellFormed();
}

/** The beginning of a text, of at most so many units. */
export function firstCharacters(text: string, limit: number): string {
  return textBetween(text, 0, limit);
}

/** The end of a text, of at most so many units. */
export function lastCharacters(text: string, limit: number): string {
  return textBetween(text, Math.max(0, text.length - limit), text.length);
}

/** The text, or its beginning with a mark where it is longer than so many units. */
export function cutTo(text: string, limit: number): string {
  return text.length <= limit ? text : `${firstCharacters(text, limit).trimEnd()}…`;
}

/** Does a cut at this place go through a character of two units? */
function splitsCharacter(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}
