import type { Dialect, InsertMessage } from "../../core/types.ts";
import { INTERFACE_FIELDS, withFieldEdit } from "../shared/edit.ts";
import { legalText } from "../shared/legal-text.ts";
import { withoutMarker } from "../shared/reading.ts";
import { reasoningOf } from "../shared/reasoning.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { ChatMessage } from "./wire.ts";

export type { ChatMessage, ChatPart, ChatToolCall } from "./wire.ts";

/** OpenAI's Chat Completions, and every server that speaks it. */
export const openaiChat: Dialect<ChatMessage, undefined> = {
  id: ID,
  rules: { system: "message", laterSystem: "anywhere", firstRole: "any", results: "direct" },
  reasoningOf,
  read,
  edit: withFieldEdit(edit, (name) => name === "id" || INTERFACE_FIELDS.has(name)),
  unmarked: withoutMarker,
  write: (message: InsertMessage): ChatMessage => ({ role: message.role, content: legalText(message.text) }),
};
