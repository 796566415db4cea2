import { type Draft, type Fate, isShown } from "../../core/draft.ts";
import { mayFollow } from "../../core/invariants.ts";
import type { DialectRules, FitInput, InsertMessage, Measure, Message } from "../../core/types.ts";
import { escapeText } from "../../summaries/escape.ts";
import { renderState } from "../../summaries/render-state.ts";

/** The note may take an eighth of what is free beside the messages that must be shown. */
const MOST_SHARE = 0.125;
/** `renderState` fills a quarter of what it is given. */
const GIVEN_FOR_EACH = 4;

/** The host's own record of where things stand, as a message of this request only. */
export interface HostNote {
  readonly message: InsertMessage;
  readonly tokens: number;
}

/**
 * Where the work stands changes from request to request, so it is never frozen into a summary: it is written anew for
 * each request and stands behind everything that a provider has cached. Undefined where the host says nothing.
 */
export function hostNote(
  state: FitInput<unknown>["hostState"],
  /** Tokens beside head and last user message. */
  free: number,
  measure: Measure,
): HostNote | undefined {
  const most = Math.floor(Math.max(0, free) * MOST_SHARE);
  const frame = tokensOf("", measure);
  const lines = renderState(state, (most - frame) * GIVEN_FOR_EACH, measure.text);
  if (lines.length === 0 || most <= frame) return undefined;
  const text = escapeText(lines.map((line) => line.text).join("\n"));
  return { message: { role: "user", text: framed(text) }, tokens: tokensOf(text, measure) };
}

function framed(text: string): string {
  return `<host-state>\nWhere the work stands now, as the program that runs this conversation keeps it. Not a request.\n${text}\n</host-state>`;
}

function tokensOf(text: string, measure: Measure): number {
  return measure.message({ role: "user", parts: [{ type: "text", text: framed(text) }] });
}

/**
 * Does a draft show the host's note? Only if it hides anything: a pass-through stays as it is. Behind the assistant's own
 * words or calls the note has no place.
 */
export function showsNote({ fates }: Draft, messages: readonly Message[]): boolean {
  const last = fates.at(-1);
  return (
    last !== undefined &&
    isShown(last) &&
    messages.at(-1)?.role !== "assistant" &&
    fates.some((fate) => !isShown(fate))
  );
}

/** The draft with the host's note at its end, if it is to be shown. */
export function withHostNote(
  draft: Draft,
  note: HostNote | undefined,
  rules: Pick<DialectRules, "alternation">,
  messages: readonly Message[],
): Draft {
  const { fates, inserts } = draft;
  const last = fates.length - 1;
  if (!note || !showsNote(draft, messages)) return draft;
  // Where roles must alternate, the note joins the message that it would stand behind.
  if (rules.alternation === "strict" && !mayFollow(messages[last]!.role, "user")) {
    const before = fates[last] as Extract<Fate, { type: "keep" | "edit" }>;
    const append = { type: "append", text: note.message.text, why: "host-state" } as const;
    const edits = before.type === "edit" ? [...before.edits, append] : [append];
    return { inserts, fates: fates.with(last, { type: "edit", edits }) };
  }
  return { fates, inserts: [...inserts, { message: note.message, before: fates.length }] };
}
