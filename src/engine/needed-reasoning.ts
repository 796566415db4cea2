import { type Draft, type Fate, isShown, KEEP, withFates } from "../core/draft.ts";
import type { DialectRules, Message } from "../core/types.ts";
import type { Conversation } from "./conversation.ts";
import { isSigned } from "./signed-reasoning.ts";

/**
 * Tells of a message whether its provider wants its reasoning for as long as the message is shown. What is bound to its
 * prefix isn't meant: after a compaction its provider refuses it.
 */
export function neededReasoning(
  { messages, structure }: Pick<Conversation, "messages" | "structure">,
  rules: Pick<DialectRules, "reasoning" | "boundReasoning">,
): (index: number) => boolean {
  const rule = rules.reasoning ?? "with-calls";
  if (rule === "free") return () => false;
  const turns = rule === "with-calls" ? structure.turns : structure.turns.slice(-1);
  const needed = new Set<number>();
  for (const { from, to } of turns) {
    if (!messages.slice(from, to).some(hasCall)) continue;
    for (let index = from; index < to; index++) if (hasReasoning(messages[index]!)) needed.add(index);
  }
  return (index) => needed.has(index) && !(rules.boundReasoning && isSigned(messages[index]!));
}

/**
 * The view of a checkpoint with the reasoning that its provider wants. One that was made for a model with other rules, or
 * before the rules were known, may have taken it away.
 */
export function withNeededReasoning(
  conversation: Pick<Conversation, "messages" | "structure">,
  rules: DialectRules,
  draft: Draft,
): Draft {
  const isStripped = (fate: Fate) =>
    fate.type === "edit" && fate.edits.some((edit) => edit.type === "strip-reasoning");
  if (!draft.fates.some((fate) => isStripped(fate) || isDroppedReasoning(fate))) return draft;
  const isNeeded = neededReasoning(conversation, rules);
  const changes = new Map<number, Fate>();
  for (const [index, fate] of draft.fates.entries()) {
    if (isStripped(fate) && isNeeded(index) && fate.type === "edit") {
      const edits = fate.edits.filter((edit) => edit.type !== "strip-reasoning");
      changes.set(index, edits.length > 0 ? { type: "edit", edits } : KEEP);
    } else if (isDroppedReasoning(fate) && isNeeded(index) && leadsToShown(draft, index)) {
      changes.set(index, KEEP);
    }
  }
  return withFates(draft, changes);
}

function isDroppedReasoning(fate: Fate): boolean {
  return fate.type === "drop" && fate.reason === "reasoning";
}

/** Reasoning that is a message of its own belongs to the message behind it. */
function leadsToShown({ fates }: Draft, index: number): boolean {
  const next = fates.slice(index + 1).find((fate) => !isDroppedReasoning(fate));
  return next !== undefined && isShown(next);
}

function hasCall({ parts }: Message): boolean {
  return parts.some((part) => part.type === "tool-call");
}

function hasReasoning({ parts }: Message): boolean {
  return parts.some((part) => part.type === "reasoning");
}
