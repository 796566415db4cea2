import { isRecord, parseJson } from "../../core/json.ts";
import { MARKER_NAMES } from "../text/marker-tag.ts";

/** Notes that a model writes before its answer, asked for (analysis) or not. Unclosed, they go on to the end. */
const NOTES = ["analysis", "think", "thinking", "reasoning", "scratchpad"];
const SUMMARY_NAMES = ["conversation-summary", "summary"];
/** A marker around less than this share of the answer is part of what it says, not its frame. */
const MIN_FRAMED_SHARE = 0.3;
/** Answers with more of them are loops, and are seen as that. */
const MAX_NOTES = 20;
const FENCE = /^(`{3,}|~{3,})[\w -]*\n([\s\S]*)$/;
const OUR_MARKERS = new RegExp(`</?(?:${[...MARKER_NAMES, "summary"].join("|")})(?:\\s[^<>\\n]*)?/?>`, "gi");

/** The summary inside an answer: without notes, code fence and markers. */
export function stripReply(reply: string): string {
  return unfence(unwrap(unfence(stripNotes(reply))))
    .replace(OUR_MARKERS, "")
    .trim();
}

/** Has the summary's marker been closed? Then it is whole, whatever came after it. */
export function isClosed(reply: string): boolean {
  return new RegExp(`</(?:${SUMMARY_NAMES.join("|")})\\s*>`, "i").test(stripNotes(reply));
}

/** The answer without the notes at the beginning of a line. A summary that begins inside unclosed notes ends them. */
export function stripNotes(reply: string): string {
  let rest = unfence(reply.toWellFormed().replace(/\r\n?/g, "\n").replaceAll("\u0000", "").trim());
  for (const name of NOTES) {
    for (let round = 0; round < MAX_NOTES; round++) {
      const opening = new RegExp(`^[ \\t]*<${name}(?:\\s[^<>\\n]*)?>`, "im").exec(rest);
      if (opening === null) break;
      const inside = rest.slice(opening.index + opening[0].length);
      const closing = new RegExp(`</${name}\\s*>`, "i").exec(inside);
      const summary = new RegExp(`^[ \\t]*<(?:${SUMMARY_NAMES.join("|")})>`, "im").exec(inside);
      const after = closing === null ? (summary?.index ?? inside.length) : closing.index + closing[0].length;
      rest = rest.slice(0, opening.index) + inside.slice(after);
    }
    // Some servers cut off the opening tag along with the prompt.
    const lone = new RegExp(`^[\\s\\S]*?</${name}\\s*>`, "i").exec(rest);
    if (lone !== null && !new RegExp(`<${name}\\b`, "i").test(lone[0])) rest = rest.slice(lone[0].length);
  }
  return rest.trim();
}

/** What stands inside the first summary marker that isn't empty; all of the text if there is none. */
function unwrap(text: string): string {
  for (const name of SUMMARY_NAMES) {
    const opening = new RegExp(`^[ \\t]*<${name}(?:\\s[^<>\\n]*)?>`, "gim");
    for (const match of text.matchAll(opening)) {
      const inside = text.slice(match.index + match[0].length);
      const closing = new RegExp(`</${name}\\s*>`, "i").exec(inside);
      const content = (closing === null ? inside : inside.slice(0, closing.index)).trim();
      if (content !== "" && (name !== "summary" || content.length >= text.length * MIN_FRAMED_SHARE))
        return content;
    }
  }
  return unwrapJson(text);
}

/** `{"summary": "…"}`, which models with a JSON mode like to write. */
function unwrapJson(text: string): string {
  const value = text.startsWith("{") ? parseJson(text) : undefined;
  return isRecord(value) && typeof value.summary === "string" ? value.summary.trim() : text;
}

/** Without the code fence around all of it. Unclosed, it goes on to the end. */
function unfence(text: string): string {
  const match = FENCE.exec(text);
  if (match === null) return text;
  const [, fence, content] = match as unknown as [string, string, string];
  const lines = content.split("\n");
  let depth = 1;
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith(fence)) continue;
    depth += line.trim() === fence ? -1 : 1;
    // It closes before the end: it encloses a part only.
    if (depth === 0) return at === lines.length - 1 ? lines.slice(0, -1).join("\n").trim() : text;
  }
  return depth === 1 ? content.trim() : text;
}
