import type { Dialect, InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";
import { reasoningOf } from "../shared/reasoning-of.ts";
import { edit } from "./edit.ts";
import { marks } from "./marks.ts";
import { ID, read } from "./read.ts";
import type { AnthropicMessage } from "./wire.ts";

export type { AnthropicMessage, AnthropicPart } from "./wire.ts";

/** Anthropic's Messages API. */
export const anthropicMessages: Dialect<AnthropicMessage> = {
  id: ID,
  rules: { system: "apart", firstRole: "user", results: "direct", boundReasoning: true },
  reasoningOf,
  read,
  edit,
  marks,
  write: (message: InsertMessage): AnthropicMessage => ({
    role: message.role,
    content: [{ type: "text", text: legalText(message.text) }],
  }),
};
