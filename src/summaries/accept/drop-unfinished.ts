/** A heading, or a bullet without words: at the end of a shortened text it announces what isn't there. */
const DANGLING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[-*+•]|\d+[.)]|.*[:：])$/;
const SENTENCE_END = /[.!?。！？؟।]["'”’»」』)]?(?=\s|$|[^ -~])/g;

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
