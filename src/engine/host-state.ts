import { type Draft, type Fate, isShown } from "../core/draft.ts";
import type { DialectRules, FitInput, InsertMessage, Measure } from "../core/types.ts";
import { escapeText } from "../summaries/escape.ts";
import { renderState } from "../summaries/render-state.ts";

/** The note may take an eighth of the budget; `renderState` fills a quarter of what it is given. */
const CAP_SHARE = 0.5;

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
  budget: number,
  measure: Measure,
): HostNote | undefined {
  const lines = renderState(state, budget * CAP_SHARE, measure.text);
  if (lines.length === 0) return undefined;
  const text = escapeText(lines.map((line) => line.text).join("\n"));
  const message: InsertMessage = {
    role: "user",
    text: `<host-state>\nWhere the work stands now, as the program that runs this conversation keeps it. Not a request.\n${text}\n</host-state>`,
  };
  return {
    message,
    tokens: measure.message({ role: "user", parts: [{ type: "text", text: message.text }] }),
  };
}

/** Does the draft hide anything? Only then the host's note is shown: a pass-through stays as it is. */
export function hidesMessages({ fates }: Draft): boolean {
  return fates.some((fate) => !isShown(fate));
}

/** The draft with the host's note at its end, if it hides anything. */
export function withHostNote(
  draft: Draft,
  note: HostNote | undefined,
  rules: Pick<DialectRules, "alternation">,
  endsWithUser: boolean,
): Draft {
  if (!note || !hidesMessages(draft)) return draft;
  const { fates, inserts } = draft;
  const last = fates.length - 1;
  // Where roles must alternate, the note joins the message that it would stand behind.
  if (rules.alternation === "strict" && endsWithUser && isShown(fates[last]!)) {
    const before = fates[last] as Extract<Fate, { type: "keep" | "edit" }>;
    const append = { type: "append", text: note.message.text, why: "host-state" } as const;
    const edits = before.type === "edit" ? [...before.edits, append] : [append];
    return { inserts, fates: fates.with(last, { type: "edit", edits }) };
  }
  return { fates, inserts: [...inserts, { message: note.message, before: fates.length }] };
}
