/** Words that are looked for in the original to find where a quotation was cut, and the characters that they may have. */
const FOUND_BY = 8;
const MOST_CHARACTERS = 160;
const CUT = "…";

/** Does a quotation leave something out, or does it quote an ellipsis? Only its message can tell. */
export function mayBeCut(quoted: string): boolean {
  return quoted.includes(CUT);
}

/** What a quotation leaves out of its message, at its ellipses; undefined if it is whole, or isn't found in it. */
export function restOf(quoted: string, original: string): string | undefined {
  const parts = quoted.split(CUT).map((part) => part.trim());
  const missing: string[] = [];
  let from = 0;
  for (const [at, next] of parts.slice(1).entries()) {
    const before = placeOf(words(parts[at]!.slice(-MOST_CHARACTERS)).slice(-FOUND_BY), original, from);
    if (before === undefined) continue;
    const isLast = at === parts.length - 2 && next === "";
    const behind = isLast
      ? { start: original.length, end: original.length }
      : placeOf(words(next.slice(0, MOST_CHARACTERS)).slice(0, FOUND_BY), original, before.end);
    if (behind === undefined) continue;
    const left = original.slice(before.end, behind.start);
    if (/[\p{L}\p{N}]/u.test(left)) missing.push(left);
    from = behind.start;
  }
  return missing.length === 0 ? undefined : missing.join(` ${CUT} `);
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Where words stand in a text, which may have other spaces and line ends between them; undefined: nowhere behind `from`. */
function placeOf(
  list: readonly string[],
  text: string,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  if (list.length === 0) return undefined;
  const pattern = list.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const found = new RegExp(pattern).exec(text.slice(from));
  if (found === null) return undefined;
  return { start: from + found.index, end: from + found.index + found[0].length };
}
