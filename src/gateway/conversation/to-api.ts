import type { Summary } from "../../core/types.ts";
import type { Conversation } from "../../stores/server-store.ts";
import type { ApiConversation, ApiSummary } from "../api.ts";
import type { Busy } from "../telemetry/busy.ts";
import { metaOf } from "./chat-settings.ts";

/** A conversation as the page knows it. */
export function toApi(conversation: Conversation, busy: Pick<Busy, "of">): ApiConversation {
  const meta = metaOf(conversation);
  return {
    id: conversation.id,
    title: conversation.title,
    client: conversation.client,
    dialect: conversation.dialect ?? "openai-chat",
    model: meta.settings?.model ?? meta.model ?? conversation.model,
    session: conversation.session,
    messages: conversation.length,
    leaf: conversation.leaf,
    tokens: conversation.tokens,
    createdAt: conversation.createdAt,
    updatedAt: conversation.updatedAt,
    pinned: conversation.pinned,
    archived: conversation.archived,
    fork: meta.fork,
    settings: meta.settings ?? {},
    pins: meta.pins ?? [],
    busy: busy.of(conversation.id),
    ...(meta.failure && meta.failure.leaf === conversation.leaf && { failure: meta.failure.error }),
  };
}

export function summaryToApi(summary: Summary): ApiSummary {
  const { key, text, covers, level, model, prompt, author, tokens, at } = summary;
  return { key, text, covers, level, model, prompt, author, tokens, at };
}
