/** A heading, or a bullet without words: at the end of a shortened text it announces what isn't there. */
const DANGLING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[-*+•]|\d+[.)]|.*[:：])$/;
const SENTENCE_END = /[.!?。！？؟।]["'”’»」』)]?(?=\s|$|[^ -~])/g;

/** The text within `cap` tokens: whole lines, or whole sentences if it is a single line. Empty if not even one fits. */
export function shortenToLine(text: string, cap: number, count: (text: string) => number): string {
  if (count(text) <= cap) return text;
  const lines = text.split("\n");
  const kept = longest(lines.length, (number) => lines.slice(0, number).join("\n"), cap, count);
  if (kept.trim() !== "") return withoutDangling(kept);
  const first = lines[0] ?? "";
  const ends = [...first.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length);
  return longest(ends.length, (number) => first.slice(0, ends[number - 1] ?? 0), cap, count).trim();
}

/** The text without its last, unfinished line or sentence; empty if there is nothing else. */
export function dropUnfinished(text: string): string {
  const end = text.lastIndexOf("\n");
  if (end >= 0) return withoutDangling(text.slice(0, end));
  const last = [...text.matchAll(SENTENCE_END)].at(-1);
  return last === undefined ? "" : text.slice(0, last.index + last[0].length).trim();
}

function withoutDangling(text: string): string {
  const lines = text.trimEnd().split("\n");
  while (lines.length > 1 && (DANGLING.test(lines.at(-1)!.trim()) || lines.at(-1)!.trim() === ""))
    lines.pop();
  return lines.join("\n");
}

function longest(
  most: number,
  build: (number: number) => string,
  cap: number,
  count: (text: string) => number,
): string {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (count(build(middle)) <= cap) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : build(low);
}
