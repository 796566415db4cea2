import { type Fate, withFates } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { Edit } from "../../core/types.ts";
import { mediaPlaceholder } from "../../reductions/old-images.ts";
import { draftTokens } from "../conversation.ts";
import { shrinkParts } from "../shrink.ts";
import { leastTail, newestUnit, tailIndexes } from "../tail.ts";
import { aroundTail, dropped, type Rung, type RungInput, withoutSummary } from "./rung.ts";

/** Rung 5: the newest unit with its largest parts shortened; if that can't fit, head and last user message alone. */
export const hardCut: Rung = async (input) => {
  const { conversation, rules, limit } = input;
  const { messages } = conversation;
  const newest = newestUnit(conversation);
  if (newest.from < messages.length) {
    const fates = aroundTail(conversation, newest, dropped("budget"));
    const cut = shrinkParts({
      conversation,
      draft: withoutSummary(input, fates),
      indexes: tailIndexes(conversation, newest),
      limit,
      why: "hard-cut",
      rules,
    });
    if (cut) return cut;
    await input.pause();
  }
  const least = withoutSummary(input, aroundTail(conversation, leastTail(conversation), dropped("budget")));
  if (draftTokens(conversation, least) <= limit) return least;
  return withoutLastImages(input, least);
};

/** The last user message keeps its text, whatever happens; its images are the last thing that can go. */
function withoutLastImages(
  { conversation }: RungInput,
  draft: ReturnType<typeof withoutSummary>,
): typeof draft {
  const { messages, structure } = conversation;
  const index = structure.lastUser;
  if (index === undefined) return draft;
  const edits = editableParts(messages[index]!).flatMap((part, at): Edit[] =>
    part.type === "image" || part.type === "frame" || (part.type === "file" && part.text === undefined)
      ? [{ type: "replace", part: at, text: mediaPlaceholder(part), why: "hard-cut" }]
      : [],
  );
  const changes = new Map<number, Fate>(edits.length > 0 ? [[index, { type: "edit", edits }]] : []);
  return withFates(draft, changes);
}
