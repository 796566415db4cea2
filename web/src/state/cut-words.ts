/** Words that are looked for in the original to find where a quotation was cut. */
const FOUND_BY = 8;

/** What a quotation that ends with an ellipsis leaves out of its message; undefined if it is whole, or isn't found in it. */
export function restOf(quoted: string, original: string): string | undefined {
  const match = /^([\s\S]*?)\s*…\s*$/.exec(quoted);
  if (!match) return undefined;
  const words = match[1]!.split(/\s+/).filter(Boolean).slice(-FOUND_BY);
  if (words.length === 0) return undefined;
  // A quotation may have other spaces and line ends than its message.
  const place = new RegExp(
    words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"),
  ).exec(original);
  if (place === null) return undefined;
  const rest = original.slice(place.index + place[0].length);
  return rest.trim() === "" ? undefined : rest;
}
