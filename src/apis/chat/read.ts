import { isRecord } from "../../core/json.ts";
import type { Message, Part, ReasoningPart, Role, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { base64Bytes, filePart, framesIn, framesPart, gathered, imagePart } from "../shared/media.ts";
import { malformed, otherDialectFix, roleIn, unknownPart } from "../shared/reading.ts";
import { isSignature, opaqueReasoning } from "../shared/reasoning.ts";

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
function legacyCallId(name: string): string {
  return `function_call:${name}`;
}

export const ID = "openai-chat";

const ROLES: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

/** Parts come in this order: reasoning fields, content, refusal, audio, tool calls, legacy call. `edit` relies on it. */
export function read(wire: Record<string, unknown>): Message {
  const role = roleIn(ID, ROLES, wire);
  if (wire.type === "message" || (wire.content === undefined && !saysMore(role, wire))) checkFormat(wire);
  if (role === "tool") return { role, parts: [readResult(wire)] };

  const parts: Part[] = role === "assistant" ? readReasoning(wire) : [];
  readContent(wire.content, parts);
  if (role === "assistant") readAssistantFields(wire, parts);
  return { role, parts };
}

/** Calls, reasoning and the like: what an assistant's message may consist of besides its content. */
const SAYS_MORE = ["tool_calls", "function_call", "refusal", "audio", ...REASONING_FIELDS] as const;

function saysMore(role: Role, wire: Record<string, unknown>): boolean {
  // Results without a content are what some clients send for empty ones.
  return role === "tool" || (role === "assistant" && SAYS_MORE.some((field) => wire[field] !== undefined));
}

/** Refuses what says nothing in this format: read on, it would count as an empty message, whatever its size. */
function checkFormat(wire: Record<string, unknown>): void {
  const fix = otherDialectFix(ID, wire);
  if (wire.content !== undefined && fix === undefined) return;
  throw malformed({ dialect: ID, expected: "a message with `content`", found: wire, ...(fix && { fix }) });
}

function readContent(content: unknown, parts: Part[]): void {
  if (typeof content === "string") {
    // An empty text beside calls is what some servers send for null; it must not shift the indexes of the calls.
    if (content !== "") parts.push({ type: "text", text: content });
  } else if (Array.isArray(content)) {
    for (const part of content) parts.push(readPart(part));
  } else if (content !== null && content !== undefined) {
    throw malformed({
      dialect: ID,
      expected: "`content` to be a string, an array of parts or null",
      found: content,
    });
  }
}

function readPart(part: unknown): Part {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isRecord(part))
    throw malformed({ dialect: ID, expected: "a content part to be an object", found: part });
  if (isReasoningPart(part)) return readDetail(part);
  const { type, text, refusal, image_url, input_audio, file, video, video_url } = part;
  if ((type === "text" || type === "input_text" || type === "output_text") && typeof text === "string") {
    return { type: "text", text };
  }
  if (type === "refusal" && typeof refusal === "string") return { type: "text", text: refusal };
  if (type === "image_url") {
    const url = isRecord(image_url) ? image_url.url : image_url;
    const detail = isRecord(image_url) ? image_url.detail : undefined;
    if (typeof url === "string") return imagePart(url, detail);
  }
  if (type === "input_audio" && isRecord(input_audio) && typeof input_audio.data === "string") {
    const { data, format } = input_audio;
    return filePart({
      source: data as string,
      mediaType: `audio/${nameText(format)}`,
      bytes: base64Bytes(data as string),
    });
  }
  if (type === "file" && isRecord(file)) {
    const { file_data, file_id, filename } = file;
    const source = typeof file_data === "string" ? file_data : file_id;
    if (typeof source === "string") return filePart({ source, name: optionalText(filename) });
  }
  if (type === "video_url") {
    const url = isRecord(video_url) ? video_url.url : video_url;
    if (typeof url === "string") return framesIn(url) ?? filePart({ source: url, mediaType: "video/*" });
  }
  if (type === "video" && Array.isArray(video)) return framesPart(video);
  if (type === "video" && typeof video === "string")
    return framesIn(video) ?? filePart({ source: video, mediaType: "video/*" });
  return unknownPart(ID, part);
}

/** A message of role `tool` (or the legacy `function`) is one result, whatever its content is made of. */
function readResult(wire: Record<string, unknown>): ToolResultPart {
  const { role, content, name, tool_call_id } = wire;
  const id = role === "function" ? legacyCallId(nameText(name)) : tool_call_id;
  if (typeof id !== "string") {
    throw malformed({ dialect: ID, expected: "a tool message to have a `tool_call_id`", found: wire });
  }
  const parts: Part[] = [];
  readContent(content, parts);
  return { type: "tool-result", id, ...(typeof name === "string" ? { name } : {}), ...gathered(parts) };
}

function readAssistantFields(wire: Record<string, unknown>, parts: Part[]): void {
  const { refusal, audio, tool_calls, function_call } = wire;
  if (typeof refusal === "string" && refusal !== "") parts.push({ type: "text", text: refusal });
  if (isRecord(audio)) {
    // The sound itself is referred to by id and not sent again; its transcript is what the model reads.
    parts.push({
      type: "other",
      kind: "audio",
      json: toJson({ id: audio.id, transcript: audio.transcript }),
      ...(typeof audio.id === "string" && { comesBackAs: audio.id }),
    });
  }
  if (Array.isArray(tool_calls)) for (const call of tool_calls) parts.push(readCall(call));
  if (isRecord(function_call)) {
    const { name, arguments: args } = function_call;
    parts.push({
      type: "tool-call",
      id: legacyCallId(nameText(name)),
      name: nameText(name),
      args: argsText(args),
    });
  }
}

function readCall(call: unknown): Part {
  if (isRecord(call) && typeof call.id === "string") {
    const { id, function: fn, custom } = call;
    if (isRecord(fn)) {
      return { type: "tool-call", id: id as string, name: nameText(fn.name), args: argsText(fn.arguments) };
    }
    if (isRecord(custom)) {
      return {
        type: "tool-call",
        id: id as string,
        name: nameText(custom.name),
        args: argsText(custom.input),
      };
    }
  }
  throw malformed({
    dialect: ID,
    expected: "a tool call to have an `id` and a `function` or `custom`",
    found: call,
  });
}

/** Some servers send arguments as an object instead of JSON text. */
function argsText(args: unknown): string {
  return typeof args === "string" ? args : toJson(args);
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * The reasoning in the fields of an assistant message. Servers that send several of these fields repeat the same
 * reasoning in them, so the most detailed one counts and the others don't.
 */
function readReasoning(message: Record<string, unknown>): ReasoningPart[] {
  const { reasoning_details, thinking_blocks, reasoning_content, reasoning, reasoning_text } = message;
  if (isFilledList(reasoning_details)) return reasoning_details.map(readDetail);
  if (isFilledList(thinking_blocks)) return thinking_blocks.map(readDetail);
  const opaque = message.reasoning_opaque;
  const text = filledText(reasoning_content) ?? filledText(reasoning) ?? filledText(reasoning_text);
  if (text !== undefined) return [{ type: "reasoning", text, signed: typeof opaque === "string" }];
  return typeof opaque === "string"
    ? [{ type: "reasoning", text: opaqueReasoning(opaque), signed: true }]
    : [];
}

function isFilledList(field: unknown): field is readonly unknown[] {
  return Array.isArray(field) && field.length > 0;
}

function filledText(field: unknown): string | undefined {
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** One entry of `reasoning_details`, `thinking_blocks` or a content part that is reasoning. */
function readDetail(detail: unknown): ReasoningPart {
  if (!isRecord(detail)) return { type: "reasoning", text: nameText(detail), signed: false };
  const { text, summary, thinking, data, signature } = detail;
  const signed = typeof data === "string" || isSignature(signature);
  const visible = firstText([text, summary, thinking]);
  const opaque = visible === "" && typeof data === "string" ? opaqueReasoning(data) : "";
  return { type: "reasoning", text: visible || opaque, signed };
}

function firstText(values: readonly unknown[]): string {
  for (const value of values) {
    if (typeof value === "string") return value;
    // Mistral nests a list of text parts.
    if (Array.isArray(value)) {
      return value.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
    }
  }
  return "";
}
