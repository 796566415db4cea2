import { isRecord } from "../../core/json.ts";

/**
 * A part of a message. Which kind it is, the field says that it has. Fields that precis doesn't read pass through; the
 * API takes every name in snake case, too.
 */
export interface GeminiPart {
  readonly text?: unknown;
  readonly thought?: unknown;
  readonly thoughtSignature?: unknown;
  readonly inlineData?: unknown;
  readonly fileData?: unknown;
  readonly functionCall?: unknown;
  readonly functionResponse?: unknown;
  readonly executableCode?: unknown;
  readonly codeExecutionResult?: unknown;
  readonly thought_signature?: unknown;
  readonly inline_data?: unknown;
  readonly file_data?: unknown;
  readonly function_call?: unknown;
  readonly function_response?: unknown;
}

/**
 * A message of Gemini's API (Google: `Content`), or its system instruction as `{ role: "system", content }`. Permissive on
 * purpose: the official type is assignable to it.
 */
export interface GeminiContent {
  /** `user` or `model`. Left out: the user's. */
  readonly role?: string | undefined;
  readonly parts?: readonly GeminiPart[] | undefined;
  /** Only of a system instruction: a text, a `Content`, a part or a list of them. */
  readonly content?: unknown;
  readonly precis?: unknown;
}

/** A system instruction: what `systemInstruction` takes on the wire (a `Content`), or one of the shorter forms of Google's package. */
export type GeminiSystem = string | GeminiContent | GeminiPart | readonly GeminiPart[];

/** Fields that precis reads, and how the API spells them otherwise. */
const SNAKE = {
  inlineData: "inline_data",
  fileData: "file_data",
  functionCall: "function_call",
  functionResponse: "function_response",
  thoughtSignature: "thought_signature",
  mimeType: "mime_type",
  fileUri: "file_uri",
  displayName: "display_name",
  systemInstruction: "system_instruction",
  generationConfig: "generation_config",
  maxOutputTokens: "max_output_tokens",
  candidateCount: "candidate_count",
  responseMimeType: "response_mime_type",
  functionDeclarations: "function_declarations",
  toolConfig: "tool_config",
  functionCallingConfig: "function_calling_config",
  allowedFunctionNames: "allowed_function_names",
  cachedContent: "cached_content",
} as const;

type Named = keyof typeof SNAKE;

/** The name under which an object has a field; undefined if it hasn't. */
export function keyOf(value: object, name: Named): string | undefined {
  if (name in value) return name;
  return SNAKE[name] in value ? SNAKE[name] : undefined;
}

export function fieldOf(value: unknown, name: Named): unknown {
  const key = isRecord(value) ? keyOf(value, name) : undefined;
  return key === undefined ? undefined : (value as Record<string, unknown>)[key];
}

/** A field that holds a text, by either of its names. */
export function textField(value: object, name: Named): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : undefined;
}

/** What Gemini wants back with a part in the turn that is under way. */
export function signatureOf(part: object): string | undefined {
  return textField(part, "thoughtSignature") || undefined;
}

/** Is the part nothing but reasoning: a summary of thoughts, or a signature without anything that it stands on? */
export function isReasoningPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (part.thought === true) return true;
  return signatureOf(part) !== undefined && (part.text === "" || part.text === undefined) && !saysMore(part);
}

/** Fields beside the text that a part may consist of. */
function saysMore(part: Record<string, unknown>): boolean {
  return Object.keys(part).some(
    (key) => !["text", "thought", SNAKE.thoughtSignature, "thoughtSignature"].includes(key),
  );
}

/** The API takes one part in place of a list of them. */
export function partsOf(parts: unknown): readonly unknown[] | undefined {
  if (Array.isArray(parts)) return parts;
  return isRecord(parts) ? [parts] : undefined;
}

/** A call needs no id: without one, the name of the function ties the next result of that name to it. */
export function unnamedCallId(name: string): string {
  return `function:${name}`;
}
