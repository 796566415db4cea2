import type { Dialect } from "../../core/types.ts";
import { dialectOf, INTERFACE_FIELDS } from "../shared/dialect.ts";
import { legalText } from "../shared/fields.ts";
import { edit } from "./edit.ts";
import { type ChatMessage, ID, read } from "./read.ts";

export type { ChatMessage, ChatPart, ChatToolCall } from "./read.ts";

/** OpenAI's Chat Completions, and every server that speaks it. */
export const openaiChat: Dialect<ChatMessage, undefined> = dialectOf({
  id: ID,
  rules: { system: "message", laterSystem: "anywhere", firstRole: "any", results: "direct" },
  read,
  edit,
  isForInterface: (name) => name === "id" || INTERFACE_FIELDS.has(name),
  write: (message) => ({ role: message.role, content: legalText(message.text) }),
});
