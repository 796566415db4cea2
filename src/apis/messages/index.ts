import type { Dialect, InsertMessage } from "../../core/types.ts";
import { withFieldEdit } from "../shared/interface-fields.ts";
import { legalText } from "../shared/legal-text.ts";
import { withoutMarker } from "../shared/marker.ts";
import { reasoningOf } from "../shared/reasoning-of.ts";
import { edit } from "./edit.ts";
import { marks } from "./marks.ts";
import { ID, read } from "./read.ts";
import type { AnthropicMessage, AnthropicSystem } from "./wire.ts";

export type { AnthropicMessage, AnthropicPart, AnthropicSystem } from "./wire.ts";

/** All that a message may have: the API refuses whatever else it finds. */
const FIELDS: ReadonlySet<string> = new Set(["role", "content", "clear_at"]);

/** Anthropic's Messages API. */
export const anthropicMessages: Dialect<AnthropicMessage, AnthropicSystem> = {
  id: ID,
  rules: { system: "apart", firstRole: "user", results: "direct", boundReasoning: true },
  reasoningOf,
  read,
  edit: withFieldEdit(edit, (name) => !FIELDS.has(name)),
  unmarked: withoutMarker,
  marks,
  write: (message: InsertMessage): AnthropicMessage => ({
    role: message.role,
    content: [{ type: "text", text: legalText(message.text) }],
  }),
};
