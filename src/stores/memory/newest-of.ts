import type { HeldConversation, TenantData } from "./tenant-data.ts";

/** The conversation that changed last; of several, the one that was made last. */
export function newestOf(
  { conversations }: TenantData,
  test: (held: HeldConversation) => boolean,
): HeldConversation | undefined {
  let newest: HeldConversation | undefined;
  for (const held of conversations.values()) {
    if (!test(held)) continue;
    if (!newest || held.row.updated_at >= newest.row.updated_at) newest = held;
  }
  return newest;
}
