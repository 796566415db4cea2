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
  /** The file that it was imported from by `precis import`. */
  readonly imported?: ImportedFile;
}

/** A file as it was when it was imported. */
export interface ImportedFile {
  readonly file: string;
  readonly bytes: number;
  /** In milliseconds. */
  readonly modified: number;
}

export function metaOf(conversation: Pick<Conversation, "meta">): ChatMeta {
  return isJson(conversation.meta) ? (conversation.meta as ChatMeta) : {};
}
