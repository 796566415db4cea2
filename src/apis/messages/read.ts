import { isRecord, withDoubles } from "../../core/json.ts";
import type { FilePart, ImagePart, Message, Part, Role, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { joinTexts } from "../shared/legal-text.ts";
import { base64Bytes, filePart, imagePart } from "../shared/media.ts";
import {
  hasChatFields,
  malformed,
  malformedRole,
  markedMessage,
  otherDialectFix,
  refuseOtherPart,
} from "../shared/reading.ts";
import { isSignature, opaqueReasoning } from "../shared/reasoning.ts";
import { type AnthropicMessage, isServerResult } from "./wire.ts";

/** Stands for a picture inside a document's text. */
const PICTURE = "[image]";

export const ID = "anthropic-messages";

/** One wire part is one part, in the order of the wire. A user message that holds only results has the role `tool`. */
export function read(message: AnthropicMessage): Message {
  const wire: unknown = message;
  if (!isRecord(wire)) throw malformed({ dialect: ID, expected: "a message object", found: wire });
  const { role, content } = wire;
  if (role !== "user" && role !== "assistant" && role !== "system") {
    throw malformedRole({ dialect: ID, roles: ["user", "assistant", "system"], wire });
  }
  if (hasChatFields(wire))
    throw malformed({ dialect: ID, expected: "a message whose `content` says everything", found: wire });
  const parts = role === "system" && content === undefined ? [] : readContent(wire);
  return markedMessage(roleOf(role, parts), parts, wire.precis);
}

function roleOf(role: "user" | "assistant" | "system", parts: readonly Part[]): Role {
  const onlyResults =
    role === "user" && parts.length > 0 && parts.every((part) => part.type === "tool-result");
  return onlyResults ? "tool" : role;
}

function readContent(wire: Record<string, unknown>): Part[] {
  const { content } = wire;
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(readPart);
  throw malformed({
    dialect: ID,
    expected: "`content` to be a string or an array of parts",
    found: content,
    fix: otherDialectFix(ID, wire),
  });
}

function readPart(part: unknown): Part {
  if (!isRecord(part) || typeof part.type !== "string") {
    throw malformed({ dialect: ID, expected: "a content part to be an object with a `type`", found: part });
  }
  const known = readKnown(part);
  if (known) return known;
  refuseOtherPart(ID, part);
  return { type: "other", kind: part.type, json: toJson(part) };
}

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
  const texts: string[] = [];
  const media: (ImagePart | FilePart)[] = [];
  if (typeof content === "string") texts.push(content);
  else if (Array.isArray(content)) for (const inner of content) collect(readPart(inner), texts, media);
  else if (content !== undefined && content !== null) texts.push(toJson(content));
  return {
    type: "tool-result",
    id: resultId(part),
    text: joinTexts(texts),
    ...(is_error === true ? { error: true } : {}),
    ...(media.length > 0 ? { media } : {}),
  };
}

/** Text goes where reductions and the working set look for it; what isn't text is media. */
function collect(part: Part, texts: string[], media: (ImagePart | FilePart)[]): void {
  if (part.type === "text") texts.push(part.text);
  else if (part.type === "image") media.push(part);
  else if (part.type === "file") {
    if (part.text === undefined) media.push(part);
    else texts.push(part.text);
  } else if (part.type === "other") texts.push(part.json);
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
