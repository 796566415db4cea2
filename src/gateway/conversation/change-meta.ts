import type { ServerStore } from "../../stores/server-store.ts";
import { isConversationNotFound } from "../../stores/shared/not-found.ts";
import { type ChatMeta, metaOf, type Unfinished } from "./chat-meta.ts";

type Parts = { readonly store: Pick<ServerStore, "conversations"> };

/** Changes what the page keeps with a conversation, as it stands in the store right now. */
export async function changeMeta(
  { store }: Parts,
  tenant: string,
  id: string,
  change: (meta: ChatMeta) => ChatMeta,
): Promise<void> {
  try {
    await store.conversations.update(tenant, id, (found) => ({ meta: change(metaOf(found)) }));
  } catch (error) {
    if (!isConversationNotFound(error)) throw error;
  }
}

/** Marks that are kept: answers that broke off long ago are read like any other. */
const MAX_MARKS = 50;
/** Ids of things said that are kept: an outbox is sent again within minutes. */
const MAX_SAID = 20;

/** Marks an answer that didn't come to its end. */
export const withUnfinished = (meta: ChatMeta, hash: string, how: Unfinished): ChatMeta => ({
  ...meta,
  unfinished: Object.fromEntries(
    [...Object.entries(meta.unfinished ?? {}).filter(([other]) => other !== hash), [hash, how]].slice(
      -MAX_MARKS,
    ),
  ),
});

export const withSaid = (meta: ChatMeta, id: string): ChatMeta => ({
  ...meta,
  said: [...(meta.said ?? []), id].slice(-MAX_SAID),
});
