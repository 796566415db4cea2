import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { metaOf } from "./chat-meta.ts";
import { findConversation, type LoadParts } from "./loaded.ts";
import { pressureOf } from "./view-of.ts";

/** Was nothing said or changed since a person had all of it compacted? Doing it again would halve a small view for nothing. */
export async function isJustCompacted(
  parts: LoadParts & Pick<CompactionParts, "compactors" | "windows" | "now">,
  tenant: string,
  id: string,
): Promise<boolean> {
  const found = await findConversation(parts, tenant, id);
  const { byHand } = metaOf(found);
  if (byHand === undefined || byHand.messages !== found.length) return false;
  const { checkpoint, budget } = await pressureOf(parts, tenant, found.id);
  return checkpoint === byHand.checkpoint && budget.budget === byHand.budget;
}
