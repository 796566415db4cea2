/** So much stands before what was found: the narrow list shows two lines. */
const LEAD = 16;

/** An excerpt, begun close to what was searched for, so that it is in sight. */
export function aroundMatch(
  excerpt: string,
  search: string,
): { readonly before: string; readonly found: string; readonly after: string } {
  const text = excerpt.replace(/\s+/g, " ").trim();
  const words = search.replaceAll('"', " ").split(/\s+/).filter(Boolean);
  for (const wanted of [words.join(" "), ...words]) {
    const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
    if (at < 0) continue;
    const end = at + wanted.length;
    return { before: shortened(text.slice(0, at)), found: text.slice(at, end), after: text.slice(end) };
  }
  return { before: text, found: "", after: "" };
}

/** The end of it, from the start of a word. */
function shortened(text: string): string {
  if (text.length <= LEAD) return text;
  return `… ${text.slice(-LEAD).replace(/^\S*\s/, "")}`;
}
