import { coversOf, type Draft, type Fate, isShown, KEEP, withFates, withoutInserts } from "../core/draft.ts";
import { editableParts } from "../core/edits.ts";
import { isOnlyReasoning } from "../core/rounds.ts";
import type { DialectRules, Edit } from "../core/types.ts";
import { type Conversation, mustShow, newestSpeaks } from "./conversation.ts";
import { isSigned } from "./signed-reasoning.ts";

/** The view of a checkpoint with what must be shown by now, although it was hidden or shortened when it was made. */
export interface Amended {
  readonly draft: Draft;
  /** The messages that were brought back, by index. */
  readonly shown: readonly number[];
}

/**
 * Brings back what the view of an older checkpoint may no longer hide: messages that were pinned since, a last user
 * message that became the last one because later ones were taken back, the other half of a round whose result came late.
 * Everything else stays as the compaction left it. Rounds come back whole.
 */
export function amend(
  conversation: Conversation,
  draft: Draft,
  rules: Pick<DialectRules, "boundReasoning">,
): Amended {
  const { structure, messages } = conversation;
  const { fates } = draft;
  const due = new Set<number>();
  const bringBack = (index: number) => {
    const { from, to } = structure.units[structure.unitOf[index]!]!;
    for (let one = from; one < to; one++) if (!isWhole(conversation, draft, one)) due.add(one);
  };
  for (let index = 0; index < fates.length; index++) {
    if (
      fates[index]!.type !== "keep" &&
      mustShow(conversation, index) &&
      !isWhole(conversation, draft, index)
    )
      bringBack(index);
  }
  if (newestSpeaks(conversation) && !isShown(fates.at(-1)!)) bringBack(fates.length - 1);
  for (let at = 0; at < structure.pairs.length; at++) {
    const { call, result } = structure.pairs[at]!;
    const asked = isShown(fates[call.index]!);
    const answered = isShown(fates[result.index]!);
    if (asked !== answered) bringBack(asked ? result.index : call.index);
  }
  const changes = new Map<number, Fate>();
  for (const index of due) {
    const message = messages[index]!;
    // Its reasoning was bound to a prefix that is no longer sent.
    const bound = rules.boundReasoning && isSigned(message);
    if (bound && isOnlyReasoning(message)) continue;
    const fate = fates[index]!;
    const kept: readonly Edit[] = fate.type === "edit" ? fate.edits.filter(isHarmless) : [];
    const edits: readonly Edit[] =
      bound && !kept.some(({ type }) => type === "strip-reasoning")
        ? [...kept, { type: "strip-reasoning", why: "signed-reasoning" }]
        : kept;
    changes.set(index, edits.length > 0 ? { type: "edit", edits } : KEEP);
  }
  const amended = withoutSilentInserts(withFates(draft, changes), draft);
  return { draft: amended, shown: [...changes.keys()].sort((a, b) => a - b) };
}

/** Shown so that nothing of it is missing which this message must show. */
function isWhole(conversation: Conversation, { fates }: Draft, index: number): boolean {
  const fate = fates[index]!;
  if (fate.type === "keep") return true;
  if (fate.type !== "edit") return false;
  if (!mustShow(conversation, index)) return true;
  const parts = editableParts(conversation.messages[index]!);
  return !fate.edits.some(
    (edit) => edit.type === "replace" && (conversation.isHead(index) || parts[edit.part]?.type === "text"),
  );
}

/** Is everything whole that the model hasn't seen yet? Its own words before a call are no news to it. */
export function showsUnanswered({ structure, messages }: Conversation, { fates }: Draft): boolean {
  return fates.every(
    (fate, index) =>
      index < structure.unanswered ||
      messages[index]!.role === "assistant" ||
      (isShown(fate) && (fate.type !== "edit" || fate.edits.every(isHarmless))),
  );
}

/** Takes nothing away that a reader would miss: what a compaction appends or strips stays appended and stripped. */
function isHarmless({ type }: Edit): boolean {
  return type !== "replace";
}

/** An insert whose every message is shown again has nothing left to speak for. */
function withoutSilentInserts(draft: Draft, before: Draft): Draft {
  const covers = coversOf(draft);
  const had = coversOf(before);
  return withoutInserts(draft, (_insert, by) => covers[by]!.length === 0 && had[by]!.length > 0);
}
