/** A part of a message's content (Anthropic: a content block). Fields that precis doesn't read pass through. */
export interface AnthropicPart {
  readonly type: string;
  readonly text?: unknown;
  readonly source?: unknown;
  readonly title?: unknown;
  readonly content?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly is_error?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly data?: unknown;
  readonly cache_control?: unknown;
}

/**
 * A message of Anthropic's Messages API, or its system prompt as `{ role: "system", content }`. Permissive on
 * purpose: the official types, beta ones included, are assignable to it.
 */
export interface AnthropicMessage {
  readonly role: string;
  /** Only a system message may leave it out (the beta that clears earlier ones). */
  readonly content?: string | readonly AnthropicPart[] | undefined;
  readonly precis?: unknown;
}

export function isReasoningPart(part: { readonly type?: unknown }): boolean {
  return part.type === "thinking" || part.type === "redacted_thinking";
}

/** `web_search_tool_result`, `mcp_tool_result` and the like: the provider ran the tool. `tool_result` isn't one. */
export function isServerResult(type: unknown): boolean {
  return typeof type === "string" && type.endsWith("_tool_result");
}

/** The `system` of a request. */
export type AnthropicSystem = string | { type: "text"; text: string }[];
