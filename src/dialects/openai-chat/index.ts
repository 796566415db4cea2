import type { Dialect, InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";
import { reasoningOf } from "../shared/reasoning-of.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { ChatMessage } from "./wire.ts";

export type { ChatMessage, ChatPart, ChatToolCall } from "./wire.ts";

/** OpenAI's Chat Completions, and every server that speaks it. */
export const openaiChat: Dialect<ChatMessage> = {
  id: ID,
  rules: { system: "message", laterSystem: "anywhere", firstRole: "any", results: "direct" },
  reasoningOf,
  read,
  edit,
  write: (message: InsertMessage): ChatMessage => ({ role: message.role, content: legalText(message.text) }),
};
