import { isRecord, parseJson } from "../../core/json.ts";
import type { ModelReply } from "../../core/types.ts";
import { type MustKeep, missingItems } from "../keep/must-keep.ts";
import { withoutPointers } from "../records/pointers.ts";
import { trimRecord } from "../records/render-narrative.ts";
import { escapeText, MARKER_NAMES } from "../text/escape.ts";
import { hasToolCall, isErrorText, isGarbage, isOffTopic, isRefusal, isReply, mostChars } from "./faults.ts";
import { markEchoes } from "./instruction-echoes.ts";

export { appendMissing } from "../keep/missing-items.ts";
export { plantedInstructions } from "./instruction-echoes.ts";

/** A heading, or a bullet without words: at the end of a shortened text it announces what isn't there. */
const DANGLING = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[-*+•]|\d+[.)]|.*[:：])$/;
const SENTENCE_END = /[.!?。！？؟।]["'”’»」』)]?(?=\s|$|[^ -~])/g;

/** What `acceptSummary` takes. */
export interface AcceptInput {
  readonly reply: ModelReply;
  /** The summary's ceiling in tokens, pointers not counted. Up to 25 % more is trimmed, above that it is refused. */
  readonly cap: number;
  /** Trim it however long it is: it was sent back once already. Default false. */
  readonly trimsAny?: boolean;
  /** Tokens of what the summary replaces. */
  readonly sourceTokens: number;
  readonly mustKeep: readonly MustKeep[];
  readonly count: (text: string) => number;
  /** An answer that was cut off is taken without its last line. Default false. */
  readonly keepPartial?: boolean;
  /** The text that was summarised, to see whether the answer is about it: most of its words should come from there. */
  readonly source?: string;
  /** The same where an answer may be in another language: it should have anything in common with it. */
  readonly material?: string;
  /** Lines of tool results that speak to the model, from `plantedInstructions`. */
  readonly planted?: readonly string[];
}

/** Why an answer is no summary. */
export type Unacceptable =
  | "empty"
  | "garbage"
  | "refusal"
  | "cut-off"
  | "too-long"
  | "not-smaller"
  | "tool-call"
  | "error-text"
  | "off-topic"
  | "no-summary";

/** A summary that can be stored, or the reason why there is none. */
export type Acceptance =
  | {
      readonly ok: true;
      readonly text: string;
      readonly tokens: number;
      /** Items that it should carry and doesn't. */
      readonly missing: readonly MustKeep[];
      /** Sentences that pass on an instruction from a tool result; they are marked in the text. */
      readonly suspicions: readonly string[];
      /** Parts of it were left out: cut off by the provider, or over the ceiling. */
      readonly shortened: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: Unacceptable;
      /** Of one that is nothing but too long: what it says, and its length in tokens, so that it can be shortened. */
      readonly draft?: { readonly text: string; readonly tokens: number };
    };

/** Longest answer that is looked at, notes included (characters). */
const MAX_REPLY_CHARS = 1_000_000;
/** Models don't count well: this much over the ceiling is trimmed, or of notes kept. */
const MAX_OVER = 1.25;
/** Of an answer that was cut off, at least this share must be left. */
const MIN_LEFT = 0.5;
/** A summary of a real source has more than a phrase. */
const MIN_TOKENS = 8;
const REAL_SOURCE = 400;
/** Marks alone, such as the fence of a block whose lines were cut, say nothing. */
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;
const PHRASES =
  /^(?:none|n\/a|ok(?:ay)?|done|yes|no|true|false|summary|\(?(?:no|empty) (?:summary|content|changes?)\)?|not applicable|nothing)[.!]?$/i;

const NUMBERED = /\b((?:PR|MR|(?:pull|merge) requests?|issues?|tickets?|bugs?)):? ?#(?=\d)/gi;

/** Judges an answer. What isn't a summary is refused with a reason; it must never become text of a view. */
export function acceptSummary(input: AcceptInput): Acceptance {
  const { reply, cap, sourceTokens, count } = input;
  // Looking through megabytes takes many seconds, and no summary with its notes has them.
  if (reply.text.length > MAX_REPLY_CHARS) return refuse("too-long");
  if (reply.stop === "tool-call" || hasToolCall(stripNotes(reply.text))) return refuse("tool-call");
  if (reply.stop === "refusal") return refuse("refusal");
  const whole = reply.stop === "end" || isClosed(reply.text);

  let text = stripReply(reply.text);
  if (!SAYS_SOMETHING.test(text)) return refuse(whole ? "empty" : "cut-off");
  if (text.length > mostChars(cap)) return refuse("too-long");
  const fault = faultOf(text);
  if (fault !== undefined) return refuse(fault);
  // A model repeats what it read: lines that look like our own titles and pointers, and instructions to others.
  const { text: marked, echoes: suspicions } = markEchoes(escapeText(withoutSigns(text)), input.planted);
  text = marked;
  const stripped = text.length;

  const measure = (part: string): number => count(withoutPointers(part));
  const written = count(text);
  if (!whole) {
    if (input.keepPartial !== true) return refuse("cut-off");
    text = dropUnfinished(text);
    if (count(text) < written * MIN_LEFT || !SAYS_SOMETHING.test(text)) return refuse("cut-off");
  }
  // Said of what the model wrote: what trimming takes away isn't the writer's fault.
  const missing = missingItems(text, input.mustKeep);
  const tokens = count(text);
  if (tokens < MIN_TOKENS && sourceTokens >= REAL_SOURCE) return refuse("empty");
  const about = {
    text,
    tokens,
    missing: missing.length,
    mustKeep: input.mustKeep.length,
    source: input.source,
    material: input.material,
  };
  if (isOffTopic(about)) return refuse("off-topic");
  if (isReply({ ...about, source: input.source ?? input.material, sourceTokens }))
    return refuse("no-summary");

  const length = measure(text);
  if (length > cap * MAX_OVER && input.trimsAny !== true)
    return { ok: false, reason: "too-long", draft: { text, tokens: length } };
  const trimmed = trimmedTo(input, text, missing);
  if (measure(trimmed) > cap || !SAYS_SOMETHING.test(trimmed)) return refuse("too-long");
  if (count(trimmed) >= sourceTokens) return refuse("not-smaller");
  return {
    ok: true,
    text: trimmed,
    tokens: count(trimmed),
    missing,
    suspicions,
    shortened: trimmed.length < stripped,
  };
}

/** `PR #12` as `PR 12`: a number with the sign is a pointer to a message. */
function withoutSigns(text: string): string {
  return text.replace(NUMBERED, "$1 ");
}

/** A text within its ceiling: lines that hold items which must stay leave last. */
function trimmedTo(
  { cap, count, mustKeep }: AcceptInput,
  text: string,
  missing: readonly MustKeep[],
): string {
  const missed = new Set(missing);
  const carried = mustKeep.filter((item) => !missed.has(item));
  const holds = (line: string): boolean => missingItems(line, carried).length < carried.length;
  return trimRecord({ text, cap, count, holds });
}

function faultOf(text: string): Unacceptable | undefined {
  if (PHRASES.test(text)) return "empty";
  if (isErrorText(text)) return "error-text";
  if (isRefusal(text)) return "refusal";
  if (isGarbage(text)) return "garbage";
  return undefined;
}

function refuse(reason: Unacceptable): Acceptance {
  return { ok: false, reason };
}

/** The text without its last, unfinished line or sentence; empty if there is nothing else. */
function dropUnfinished(text: string): string {
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
function stripReply(reply: string): string {
  return unfence(unwrap(unfence(stripNotes(reply))))
    .replace(OUR_MARKERS, "")
    .trim();
}

/** Has the summary's marker been closed? Then it is whole, whatever came after it. */
function isClosed(reply: string): boolean {
  return new RegExp(`</(?:${SUMMARY_NAMES.join("|")})\\s*>`, "i").test(stripNotes(reply));
}

/** The answer without the notes at the beginning of a line. A summary that begins inside unclosed notes ends them. */
function stripNotes(reply: string): string {
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

const OPENING = /^[ \t]*<notes(?:\s[^<>\n]*)?>/im;
/** Notes that aren't closed end where the record begins. */
const END = /<\/notes\s*>|^[ \t]*(?=<conversation-summary(?:\s[^<>\n]*)?>)/im;

/** An answer in its two parts: the notes, and the rest with the record. */
export function splitNotes(reply: string): { readonly reply: string; readonly notes: string } {
  const opening = OPENING.exec(reply);
  if (opening === null) return { reply, notes: "" };
  const inside = reply.slice(opening.index + opening[0].length);
  const end = END.exec(inside);
  // Behind a record whose notes broke off, the last line may be half of one.
  const length = end?.index ?? inside.lastIndexOf("\n") + 1;
  const after = end === null ? "" : inside.slice(end.index + end[0].length);
  return { reply: reply.slice(0, opening.index) + after, notes: inside.slice(0, length).trim() };
}

/** Notes as they may be stored; empty where they can't be. */
export function acceptNotes(input: {
  readonly notes: string;
  /** Tokens that they may have, pointers not counted. */
  readonly cap: number;
  readonly count: (text: string) => number;
  readonly planted: readonly string[];
}): string {
  const { notes, cap, count, planted } = input;
  if (notes === "" || notes.length > mostChars(cap) || hasToolCall(notes) || isGarbage(notes)) return "";
  const { text } = markEchoes(escapeText(notes), planted);
  const kept = trimRecord({ text, cap: cap * MAX_OVER, count }).trim();
  // A line of its own can't be trimmed, and the next writer's window is for messages.
  return count(withoutPointers(kept)) > cap * MAX_OVER ? "" : kept;
}
