import type { Conversation } from "../../stores/server-store.ts";
import type { ChatSettings } from "../api.ts";
import { isJson } from "../http/json.ts";

/** What the page keeps with a conversation. */
export interface ChatMeta {
  readonly source?: "page" | "gateway";
  readonly settings?: ChatSettings;
  readonly pins?: readonly number[];
  readonly model?: string;
  readonly deletedAt?: number;
}

export function metaOf(conversation: Pick<Conversation, "meta">): ChatMeta {
  return isJson(conversation.meta) ? (conversation.meta as ChatMeta) : {};
}
