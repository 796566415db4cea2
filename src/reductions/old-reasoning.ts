import { type Fate, withFates } from "../core/draft.ts";
import { edited, type Reduction } from "./reduction.ts";

/** Reasoning leaves old messages; a message that was nothing else leaves whole. */
export const oldReasoning: Reduction = {
  name: "old-reasoning",
  apply(draft, { messages, reducible }) {
    const changes = new Map<number, Fate>();
    for (const [index, message] of messages.entries()) {
      if (!reducible(index) || !message.parts.some((part) => part.type === "reasoning")) continue;
      const only = message.parts.every((part) => part.type === "reasoning");
      changes.set(
        index,
        only
          ? { type: "drop", reason: "reasoning" }
          : edited(draft.fates[index]!, [{ type: "strip-reasoning", why: "old-reasoning" }]),
      );
    }
    return withFates(draft, changes);
  },
};
