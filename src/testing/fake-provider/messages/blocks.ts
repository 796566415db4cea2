import { isObject, type Json, str } from "../../json.ts";

/** One part of an Anthropic message with where it stands. */
export interface Placed {
  readonly role: "user" | "assistant" | "system";
  readonly message: number;
  readonly part: number;
  readonly block: Json;
}

/** A message's content as a list: a text alone is one text part. */
export function contentOf(message: Json): readonly Json[] {
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** All parts of a conversation, in order. */
export function placed(messages: readonly Json[]): Placed[] {
  return messages.flatMap((message, index) =>
    contentOf(message).map((block, part) => ({
      role: str(message["role"]) as Placed["role"],
      message: index,
      part,
      block,
    })),
  );
}

export const isThinking = (block: Json): boolean =>
  block["type"] === "thinking" || block["type"] === "redacted_thinking";

/** Without what the cache and the binding don't look at. */
export function bare(block: Json): Json {
  const { cache_control: _, ...rest } = block;
  return rest;
}
