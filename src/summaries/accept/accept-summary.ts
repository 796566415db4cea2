import type { ModelReply } from "../../core/types.ts";
import { type MustKeep, missingItems } from "../keep/must-keep.ts";
import { withoutPointers } from "../records/pointers.ts";
import { trimRecord } from "../records/trim-record.ts";
import { escapeText } from "../text/escape.ts";
import { isOffTopic, isReply } from "./about.ts";
import { hasToolCall, isErrorText, isGarbage, isRefusal, mostChars } from "./faults.ts";
import { markEchoes } from "./instruction-echoes.ts";
import { isClosed, stripNotes, stripReply } from "./strip-reply.ts";

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
/** Models don't count well: this much over the ceiling is trimmed. */
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
