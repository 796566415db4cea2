import { type Fate, withFates } from "../core/draft.ts";
import { isOnlyReasoning } from "../core/rounds.ts";
import { edited, type Reduction } from "./reduction.ts";

/** Reasoning leaves old messages where the provider does without it; a message that was nothing else leaves whole. */
export const oldReasoning: Reduction = {
  name: "old-reasoning",
  apply(draft, { messages, reducible, needsReasoning }) {
    const changes = new Map<number, Fate>();
    for (const [index, message] of messages.entries()) {
      if (!reducible(index) || !message.parts.some((part) => part.type === "reasoning")) continue;
      if (needsReasoning(index)) continue;
      changes.set(
        index,
        isOnlyReasoning(message)
          ? { type: "drop", reason: "reasoning" }
          : edited(draft.fates[index]!, [{ type: "strip-reasoning", why: "old-reasoning" }]),
      );
    }
    return withFates(draft, changes);
  },
};
