/** Words that are looked for in the original to find where a quotation was cut, and the characters that they may have. */
const FOUND_BY = 8;
const MOST_CHARACTERS = 160;

/** The words of a quotation that ends with an ellipsis; undefined if it is whole. */
export function cutWords(quoted: string): string | undefined {
  const text = quoted.trimEnd();
  return text.endsWith("…") ? text.slice(0, -1).trimEnd() : undefined;
}

/** What a quotation that ends with an ellipsis leaves out of its message; undefined if it is whole, or isn't found in it. */
export function restOf(quoted: string, original: string): string | undefined {
  const words = cutWords(quoted)?.slice(-MOST_CHARACTERS).split(/\s+/).filter(Boolean).slice(-FOUND_BY);
  if (words === undefined || words.length === 0) return undefined;
  // A quotation may have other spaces and line ends than its message.
  const place = new RegExp(
    words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"),
  ).exec(original);
  if (place === null) return undefined;
  const rest = original.slice(place.index + place[0].length);
  return rest.trim() === "" ? undefined : rest;
}
