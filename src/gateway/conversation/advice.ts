import {
  systemChanges,
  systemChangeWords,
  type WatchedPrompt,
  watchPrompt,
} from "../../core/system-changes.ts";
import type { ServerStore, StoredRequest } from "../../stores/server-store.ts";

/** Requests whose system prompts are compared. */
const COMPARED = 12;

/**
 * What would save more than precis can, in sentences, by the rows of a conversation up to the newest of them: a system prompt that is
 * another one with every request.
 */
export async function adviceOn(
  store: Pick<ServerStore, "requests">,
  tenant: string,
  rows: readonly StoredRequest[],
): Promise<readonly string[]> {
  const sent = rows.filter(({ kind, status }) => (kind === "client" || kind === "page") && status < 400);
  let seen: WatchedPrompt | undefined;
  for (const { id } of sent.slice(-COMPARED)) {
    const head = (await store.requests.get(tenant, id))?.head;
    if (head !== undefined) seen = watchPrompt(seen, head.replaceAll("\\n", " "));
  }
  const changes = seen && systemChanges(seen);
  return changes ? [systemChangeWords(changes)] : [];
}
