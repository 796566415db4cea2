import { type Draft, type Fate, isShown, withFates } from "../core/draft.ts";
import { isOnlyReasoning } from "../core/rounds.ts";
import { edited } from "../reductions/reduction.ts";
import type { RungInput } from "./rungs/rung.ts";

/**
 * Where reasoning is a message of its own, the provider refuses what it led to without it: the messages right behind
 * reasoning that isn't shown any more are marked, so that the dialect sends them as new ones.
 */
export function detachFromHiddenReasoning(
  { conversation: { messages }, rules }: Pick<RungInput, "conversation" | "rules">,
  draft: Draft,
): Draft {
  if (!rules.leadingReasoning) return draft;
  const changes = new Map<number, Fate>();
  let isLost = false;
  for (const [index, message] of messages.entries()) {
    const fate = draft.fates[index]!;
    if (message.role !== "assistant") isLost = false;
    else if (isOnlyReasoning(message)) isLost = !isShown(fate);
    else if (isLost && isShown(fate) && !isStripped(fate))
      changes.set(index, edited(fate, [{ type: "strip-reasoning", why: "old-reasoning" }]));
  }
  return withFates(draft, changes);
}

const isStripped = (fate: Fate): boolean =>
  fate.type === "edit" && fate.edits.some(({ type }) => type === "strip-reasoning");
