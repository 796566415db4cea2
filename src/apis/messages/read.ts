import { isRecord, withDoubles } from "../../core/json.ts";
import type { FilePart, ImagePart, Message, Part, Role, ToolResultPart } from "../../core/types.ts";
import { contentParts, typedPart } from "../shared/dialect.ts";
import { joinTexts, nameText, toJson } from "../shared/fields.ts";
import { base64Bytes, filePart, gathered, imagePart } from "../shared/media.ts";
import { malformed, roleIn } from "../shared/reading.ts";
import { isSignature, opaqueReasoning } from "../shared/reasoning.ts";

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
function isServerResult(type: unknown): boolean {
  return typeof type === "string" && type.endsWith("_tool_result");
}

/** The `system` of a request. */
export type AnthropicSystem = string | { type: "text"; text: string }[];

/** Stands for a picture inside a document's text. */
const PICTURE = "[image]";

export const ID = "anthropic-messages";
const ROLES = { user: "user", assistant: "assistant", system: "system" } as const;

/** One wire part is one part, in the order of the wire. A user message that holds only results has the role `tool`. */
export function read(wire: Record<string, unknown>): Message {
  const role = roleIn(ID, ROLES, wire);
  const isEmpty = role === "system" && wire.content === undefined;
  const parts = isEmpty ? [] : contentParts(ID, wire, readPart);
  return { role: roleOf(role, parts), parts };
}

function roleOf(role: Role, parts: readonly Part[]): Role {
  const onlyResults =
    role === "user" && parts.length > 0 && parts.every((part) => part.type === "tool-result");
  return onlyResults ? "tool" : role;
}

const readPart = (part: unknown): Part => typedPart(ID, part, readKnown);

function readKnown(part: Record<string, unknown>): Part | undefined {
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? { type: "text", text: part.text } : undefined;
    case "image":
      return readImage(part);
    case "document":
      return readDocument(part);
    case "search_result":
      return readSearchResult(part);
    case "thinking": {
      const { thinking, signature } = part;
      const signed = isSignature(signature);
      const visible = typeof thinking === "string" ? thinking : "";
      return { type: "reasoning", text: visible || (signed ? opaqueReasoning(signature) : ""), signed };
    }
    case "redacted_thinking":
      return { type: "reasoning", text: opaqueReasoning(nameText(part.data)), signed: true };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return readCall(part);
    case "tool_result":
      return readResult(part);
    default:
      return isServerResult(part.type) ? readServerResult(part) : undefined;
  }
}

function readCall(part: Record<string, unknown>): Part {
  const { type, id, name, input } = part;
  if (typeof id !== "string" || typeof name !== "string") {
    throw malformed({ dialect: ID, expected: `\`${type}\` to have an \`id\` and a \`name\``, found: part });
  }
  const args = toJson(input ?? {});
  const asDoubles = withDoubles(args);
  const call = { type: "tool-call", id, name, args, ...(asDoubles !== args && { asDoubles }) } as const;
  return type === "tool_use" ? call : { ...call, locked: true };
}

function readResult(part: Record<string, unknown>): ToolResultPart {
  const { content, is_error } = part;
  const said = typeof content === "string" || content == null ? (content ?? "") : toJson(content);
  return {
    type: "tool-result",
    id: resultId(part),
    ...(is_error === true ? { error: true } : {}),
    ...(Array.isArray(content) ? gathered(content.map(readPart)) : { text: said }),
  };
}

/** Results of tools that the provider ran. They are checked against what it sent, so nothing in them may change. */
function readServerResult(part: Record<string, unknown>): ToolResultPart {
  const { content } = part;
  const id = resultId(part);
  if (isRecord(content) && content.type === "web_fetch_result" && isRecord(content.content)) {
    const file = readDocument(content.content);
    const text = [nameText(content.url ?? ""), file?.text ?? ""].filter((line) => line !== "");
    const media = file !== undefined && file.text === undefined ? { media: [file] } : {};
    return { type: "tool-result", id, text: joinTexts(text), ...media, locked: true };
  }
  const plain = typeof content === "string" || content === undefined ? (content ?? "") : toJson(content);
  return {
    type: "tool-result",
    id,
    text: plain,
    ...(part.is_error === true ? { error: true } : {}),
    locked: true,
  };
}

function resultId(part: Record<string, unknown>): string {
  if (typeof part.tool_use_id === "string") return part.tool_use_id;
  throw malformed({ dialect: ID, expected: `\`${part.type}\` to have a \`tool_use_id\``, found: part });
}

/** A part of type `image`, or undefined when its source is of a kind that this version doesn't know. */
function readImage(part: Record<string, unknown>): ImagePart | undefined {
  const source = sourceText(part.source);
  return source === undefined ? undefined : imagePart(source);
}

function readDocument(part: Record<string, unknown>): FilePart | undefined {
  const { source, title, context } = part;
  if (!isRecord(source)) return undefined;
  const name = typeof title === "string" ? title : undefined;
  if (source.type === "text" && typeof source.data === "string") {
    return filePart({
      source: source.data,
      name,
      mediaType: "text/plain",
      text: withContext(context, source.data),
    });
  }
  if (source.type === "content") {
    const text = contentText(source.content);
    return filePart({ source: text, name, text: withContext(context, text) });
  }
  const text = sourceText(source);
  if (text === undefined) return undefined;
  const mediaType = typeof source.media_type === "string" ? source.media_type : undefined;
  const bytes = source.type === "base64" ? base64Bytes(text) : undefined;
  return filePart({ source: text, name, mediaType, bytes });
}

/** A part of type `search_result`: text with a title and the place that it is from. */
function readSearchResult(part: Record<string, unknown>): FilePart | undefined {
  const { title, source, content } = part;
  if (typeof source !== "string") return undefined;
  const lines = [typeof title === "string" ? title : "", source, contentText(content)].filter(
    (line) => line !== "",
  );
  return filePart({ source, name: typeof title === "string" ? title : undefined, text: joinTexts(lines) });
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return joinTexts(
    content.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : PICTURE)),
  );
}

function sourceText(source: unknown): string | undefined {
  if (!isRecord(source)) return undefined;
  for (const value of [source.data, source.url, source.file_id]) if (typeof value === "string") return value;
  return undefined;
}

function withContext(context: unknown, text: string): string {
  return typeof context === "string" && context !== "" ? `${context}\n${text}` : text;
}
