/** `#12`, `#12–18`, several with commas between. */
const POINTER = String.raw`#\d+(?:[–-]#?\d+)?`;
const GROUP = String.raw`${POINTER}(?:\s*[,;]\s*${POINTER})*`;
/** In brackets anywhere, or bare at a line's end or start: an issue's number inside of a sentence stays. */
const BRACKETED = new RegExp(String.raw`\s*[([]${GROUP}[)\]]`, "g");
const AT_END = new RegExp(String.raw`\s+${GROUP}\.?$`, "gm");
const AT_START = new RegExp(String.raw`^(\s*(?:[-*]\s+)?)${GROUP}:?\s+(?=\S)`, "gm");

/** A summary without pointers to messages: whoever reads it doesn't have them. */
export function withoutPointers(text: string): string {
  return text
    .replace(BRACKETED, "")
    .replace(AT_START, "$1")
    .replace(AT_END, (end) => (end.endsWith(".") ? "." : ""));
}
