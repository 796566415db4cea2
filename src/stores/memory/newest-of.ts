import type { HeldConversation, TenantData } from "./tenant-data.ts";

/** The conversation that changed last; of several, the one that was made last. */
export function newestOf(
  { conversations }: TenantData,
  test: (held: HeldConversation) => boolean,
): HeldConversation | undefined {
  let newest: HeldConversation | undefined;
  for (const held of conversations.values()) {
    if (!test(held)) continue;
    const { updatedAt } = held.conversation;
    if (!newest || updatedAt >= newest.conversation.updatedAt) newest = held;
  }
  return newest;
}
