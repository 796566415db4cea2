import type { TenantData } from "./tenant-data.ts";

/** Removes a conversation everywhere; what another one stands on stays. False when there is none. */
export function deleteConversation(data: TenantData, id: string, now: number): boolean {
  const held = data.conversations.get(id);
  if (!held) return false;
  data.conversations.delete(id);
  const gone = new Set<string>();
  for (const { hash } of held.messages) {
    const holders = data.byHash.get(hash);
    holders?.delete(id);
    if (holders && holders.size > 0) continue;
    data.byHash.delete(hash);
    data.tombstones.set(hash, now);
    gone.add(hash);
  }
  for (const [key, { record }] of data.checkpoints) {
    if (!gone.has(record.hash)) continue;
    data.checkpoints.delete(key);
    data.undos.delete(key);
  }
  for (const [key, { record }] of data.summaries) if (gone.has(record.hash)) data.summaries.delete(key);
  for (const [key, { record }] of data.answers) if (gone.has(record.hash)) data.answers.delete(key);
  for (const [key, { record }] of data.recalled) if (gone.has(record.hash)) data.recalled.delete(key);
  data.events.keep((event) => event.conversation !== id);
  for (const other of data.conversations.values())
    if (other.row.fork_of === id) other.row = { ...other.row, fork_of: null, fork_length: null };
  return true;
}

/** A conversation and everything that was forked from it, directly or not. */
export function forksOf(data: TenantData, id: string): string[] {
  const found = new Set([id]);
  for (const one of found)
    for (const { row } of data.conversations.values()) if (row.fork_of === one) found.add(row.id);
  return [...found];
}
