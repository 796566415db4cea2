import type { CacheMarks, Dialect } from "../../core/types.ts";
import { dialectOf } from "../shared/dialect.ts";
import { legalText } from "../shared/fields.ts";
import { edit } from "./edit.ts";
import {
  type AnthropicMessage,
  type AnthropicPart,
  type AnthropicSystem,
  ID,
  isReasoningPart,
  read,
} from "./read.ts";

export type { AnthropicMessage, AnthropicPart, AnthropicSystem } from "./read.ts";

/** All that a message may have: the API refuses whatever else it finds. */
const FIELDS: ReadonlySet<string> = new Set(["role", "content", "clear_at"]);

/** More are refused. */
const MOST = 4;
/** The longer of the two lives that a mark can have. */
const LONG = "1h";

/** `cache_control`. A mark with the longer life must stand before those with the shorter one. */
const marks: CacheMarks<AnthropicMessage> = {
  most: MOST,
  read(value) {
    const found: ("short" | "long")[] = [];
    const visit = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      if (Array.isArray(part)) for (const one of part) visit(one);
      const { cache_control: mark, content } = part as { cache_control?: unknown; content?: unknown };
      visit(content);
      if (typeof mark === "object" && mark !== null)
        found.push((mark as { ttl?: unknown }).ttl === LONG ? "long" : "short");
    };
    visit(value);
    return found;
  },
  add(message, life) {
    const { content } = message;
    const parts: readonly AnthropicPart[] =
      typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    // Reasoning takes no mark, and neither does an empty text.
    const at = parts.findLastIndex((part) => !isReasoningPart(part) && part.text !== "");
    if (at < 0) return message;
    const mark = { type: "ephemeral", ...(life === "long" && { ttl: LONG }) };
    return {
      ...message,
      content: parts.map((part, index) => (index === at ? { ...part, cache_control: mark } : part)),
    };
  },
};

/** Anthropic's Messages API. */
export const anthropicMessages: Dialect<AnthropicMessage, AnthropicSystem> = dialectOf({
  id: ID,
  rules: { system: "apart", firstRole: "user", results: "direct", boundReasoning: true },
  read,
  edit,
  isForInterface: (name) => !FIELDS.has(name),
  marks,
  write: ({ role, text }) => ({ role, content: [{ type: "text", text: legalText(text) }] }),
});
