import { isRecord } from "../../core/json.ts";
import type { Message } from "../../core/types.ts";
import { sameFields } from "../shared/dialect.ts";
import { type EditCursor, editParts, lockedPart, resultContent } from "../shared/edit.ts";
import { EMPTY_TEXT, legalText, PARAGRAPH, toArgsText } from "../shared/fields.ts";
import {
  type ChatMessage,
  type ChatPart,
  type ChatToolCall,
  ID,
  isReasoningPart,
  REASONING_FIELDS,
} from "./read.ts";

/** What an edit may write; the message that leaves is read-only again. */
type Draft = { -readonly [K in keyof ChatMessage]: ChatMessage[K] };
type Content = ChatMessage["content"];

/**
 * The message with the edits applied. A message that would be left without content gets the text `(empty)`; with
 * calls but no text its content is null, as the API itself sends it.
 */
export function edit(message: ChatMessage, cursor: EditCursor, { role }: Message): ChatMessage {
  const next: Draft = { ...message };
  if (role === "tool") {
    const text = cursor.next();
    if (text !== undefined) next.content = resultContent(message.content, text, { type: "text", text });
    if (cursor.append.length > 0) next.content = appendText(next.content, cursor.append);
  } else {
    next.content = editContent(message.content, cursor);
    if (role === "assistant") editAssistant(next, message, cursor);
    if (cursor.append.length > 0) next.content = appendText(next.content, cursor.append);
    if (next.content === undefined && !("content" in message)) delete next.content;
    fillEmpty(next, message);
  }
  return next;
}

function editContent(content: Content, cursor: EditCursor): Content {
  if (typeof content === "string") {
    if (content === "") return content;
    const text = cursor.next();
    return text === undefined ? content : legalText(text);
  }
  if (!Array.isArray(content)) return content;
  return editParts(content as readonly ChatPart[], cursor, {
    isReasoning: isReasoningPart,
    replace: replacePart,
  });
}

function replacePart(part: ChatPart, text: string): ChatPart {
  const legal = legalText(text);
  if (typeof part === "string") return { type: "text", text: legal };
  if (part.type === "refusal") return { ...part, refusal: legal };
  if (typeof part.text === "string") return { ...part, text: legal };
  if (!["image_url", "input_audio", "file", "video", "video_url"].includes(part.type))
    throw lockedPart(ID, part.type);
  // What marks a cache breakpoint belongs to the place, not to the picture.
  const { image_url, input_audio, file, video, video_url, ...rest } = part;
  return { ...rest, type: "text", text: legal };
}

function editAssistant(next: Draft, message: ChatMessage, cursor: EditCursor): void {
  if (typeof message.refusal === "string" && message.refusal !== "") {
    const text = cursor.next();
    if (text !== undefined) next.refusal = legalText(text);
  }
  if (isRecord(message.audio)) {
    if (cursor.next() !== undefined) throw lockedPart(ID, "audio");
  }
  if (Array.isArray(message.tool_calls)) {
    const calls = message.tool_calls.map((call) => editCall(call, cursor.next()));
    if (calls.some((call, i) => call !== message.tool_calls?.[i])) next.tool_calls = calls;
  }
  if (message.function_call) {
    const text = cursor.next();
    if (text !== undefined) next.function_call = { ...message.function_call, arguments: toArgsText(text) };
  }
  if (cursor.strip) for (const field of REASONING_FIELDS) delete next[field];
}

function editCall(call: ChatToolCall, text: string | undefined): ChatToolCall {
  if (text === undefined) return call;
  if (call.function) return { ...call, function: { ...call.function, arguments: toArgsText(text) } };
  if (call.custom) return { ...call, custom: { ...call.custom, input: text } };
  return call;
}

/** A string stays a string: many servers take nothing else for a system message. */
function appendText(content: Content, texts: readonly string[]): Content {
  if (Array.isArray(content))
    return [...content, ...texts.map((text) => ({ type: "text", text: legalText(text) }))];
  const before = typeof content === "string" && content !== "" ? [content] : [];
  return legalText([...before, ...texts].join(PARAGRAPH));
}

function fillEmpty(next: Draft, message: ChatMessage): void {
  const hasText = typeof next.content === "string" ? next.content !== "" : Boolean(next.content?.length);
  if (hasText || sameFields(message, next)) return;
  const speaks = Boolean(next.tool_calls?.length || next.function_call || next.refusal || next.audio);
  if (!speaks) next.content = EMPTY_TEXT;
  else if (Array.isArray(next.content)) next.content = null;
}
