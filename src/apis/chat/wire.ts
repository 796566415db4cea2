/** A part of a message's content. Fields that precis doesn't read pass through. */
export interface ChatPart {
  readonly type: string;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly input_audio?: unknown;
  readonly file?: unknown;
  readonly video_url?: unknown;
  /** Pictures of a video, as Qwen takes them. */
  readonly video?: unknown;
  readonly thinking?: unknown;
}

/** A call of a function tool, or of a custom tool that takes free text. */
export interface ChatToolCall {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly function?: { readonly name: string; readonly arguments: string } | undefined;
  readonly custom?: { readonly name: string; readonly input: string } | undefined;
}

/**
 * A message of Chat Completions, as OpenAI and compatible servers have it. Permissive on purpose: the official
 * types are assignable to it, and so is what other servers add.
 */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ChatPart[] | null | undefined;
  readonly name?: string | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly ChatToolCall[] | null | undefined;
  readonly tool_call_id?: string | undefined;
  /** The form that `tool_calls` replaced. */
  readonly function_call?: { readonly name: string; readonly arguments: string } | null | undefined;
  readonly audio?: unknown;
  /** Reasoning, as DeepSeek and others return it. */
  readonly reasoning_content?: unknown;
  /** Reasoning, as OpenRouter and Ollama return it. */
  readonly reasoning?: unknown;
  /** Reasoning with signatures, as OpenRouter returns it. */
  readonly reasoning_details?: unknown;
  /** Reasoning with signatures, as LiteLLM returns it. */
  readonly thinking_blocks?: unknown;
  /** Reasoning, as GitHub Copilot returns it. */
  readonly reasoning_text?: unknown;
  readonly reasoning_opaque?: unknown;
  readonly precis?: unknown;
}

/** Fields of an assistant message that hold reasoning; they leave with it. */
export const REASONING_FIELDS = [
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "thinking_blocks",
  "reasoning_text",
  "reasoning_opaque",
] as const;

/** Content parts that are reasoning (Mistral sends `thinking`). */
export function isReasoningPart(part: { readonly type?: unknown }): boolean {
  return part.type === "thinking" || part.type === "redacted_thinking" || part.type === "reasoning";
}

/** Legacy calls have no id: the function's name ties a call to the result that follows it. */
export function legacyCallId(name: string): string {
  return `function_call:${name}`;
}
