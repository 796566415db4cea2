import type { ModelReply } from "../core/types.ts";
import { hasToolCall } from "./accept/has-tool-call.ts";
import { instructionEchoes } from "./accept/instruction-echoes.ts";
import { isErrorText } from "./accept/is-error-text.ts";
import { isGarbage } from "./accept/is-garbage.ts";
import { isOffTopic } from "./accept/is-off-topic.ts";
import { isRefusal } from "./accept/is-refusal.ts";
import { dropUnfinished, shortenToLine } from "./accept/shorten.ts";
import { isClosed, stripNotes, stripReply } from "./accept/strip-reply.ts";
import { escapeText } from "./escape.ts";
import { type MustKeep, missingItems } from "./must-keep.ts";
import { markPlant } from "./plants.ts";

export { appendMissing } from "./accept/append-missing.ts";
export { plantedInstructions } from "./accept/instruction-echoes.ts";

/** What `acceptSummary` takes. */
export interface AcceptInput {
  readonly reply: ModelReply;
  /** The summary's ceiling in tokens. Up to 10 % more is trimmed, above that the summary is refused. */
  readonly cap: number;
  /** Tokens of what the summary replaces. */
  readonly sourceTokens: number;
  readonly mustKeep: readonly MustKeep[];
  readonly count: (text: string) => number;
  /** An answer that was cut off is taken without its last line. Default false. */
  readonly keepPartial?: boolean;
  /** The text that was summarised, to see whether the answer is about it. */
  readonly source?: string;
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
  | "off-topic";

/** A summary that can be stored, or the reason why there is none. */
export type Acceptance =
  | {
      readonly ok: true;
      readonly text: string;
      readonly tokens: number;
      /** Items that it should carry and doesn't. */
      readonly missing: readonly string[];
      /** Sentences that pass on an instruction from a tool result; they are marked in the text. */
      readonly suspicions: readonly string[];
      /** Its end was left out: cut off by the provider, or over the ceiling. */
      readonly shortened: boolean;
    }
  | { readonly ok: false; readonly reason: Unacceptable };

/** Longest answer that is looked at, notes included (characters). */
const MAX_REPLY_CHARS = 1_000_000;
/** Models don't count well: this much over the ceiling is trimmed. */
const MAX_OVER = 1.1;
/** Of an answer that was cut off or trimmed, at least this share must be left. */
const MIN_LEFT = 0.5;
/** A summary of a real source has more than a phrase. */
const MIN_TOKENS = 8;
const REAL_SOURCE = 400;
const PHRASES =
  /^(?:none|n\/a|ok(?:ay)?|done|yes|no|true|false|summary|\(?(?:no|empty) (?:summary|content|changes?)\)?|not applicable|nothing)[.!]?$/i;

/** Judges an answer. What isn't a summary is refused with a reason; it must never become text of a view. */
export function acceptSummary(input: AcceptInput): Acceptance {
  const { reply, cap, sourceTokens, count } = input;
  // Looking through megabytes takes many seconds, and no summary with its notes has them.
  if (reply.text.length > MAX_REPLY_CHARS) return refuse("too-long");
  if (reply.stop === "tool-call" || hasToolCall(stripNotes(reply.text))) return refuse("tool-call");
  if (reply.stop === "refusal") return refuse("refusal");
  const whole = reply.stop === "end" || isClosed(reply.text);

  let text = stripReply(reply.text);
  if (!/[\p{L}\p{N}]/u.test(text)) return refuse(whole ? "empty" : "cut-off");
  const fault = faultOf(text);
  if (fault !== undefined) return refuse(fault);
  // A model repeats what it read: lines that look like our own titles and pointers, and instructions to others.
  text = escapeText(text);
  const suspicions = instructionEchoes(text, input.planted);
  for (const echo of suspicions) text = text.replace(echo, () => markPlant(echo));

  const written = count(text);
  if (!whole) {
    if (input.keepPartial !== true) return refuse("cut-off");
    text = dropUnfinished(text);
    if (count(text) < written * MIN_LEFT) return refuse("cut-off");
  }
  if (count(text) > cap * MAX_OVER) return refuse("too-long");
  text = shortenToLine(text, cap, count);
  const tokens = count(text);
  if (tokens < written * MIN_LEFT) return refuse("too-long");
  if (tokens < MIN_TOKENS && sourceTokens >= REAL_SOURCE) return refuse("empty");
  if (tokens >= sourceTokens) return refuse("not-smaller");

  const missing = missingItems(text, input.mustKeep);
  if (
    isOffTopic({
      text,
      tokens,
      missing: missing.length,
      mustKeep: input.mustKeep.length,
      source: input.source,
    })
  )
    return refuse("off-topic");
  return {
    ok: true,
    text,
    tokens,
    missing: missing.map((item) => item.text),
    suspicions,
    shortened: tokens < written,
  };
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
