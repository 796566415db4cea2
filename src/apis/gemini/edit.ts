import { isRecord } from "../../core/json.ts";
import type { Message } from "../../core/types.ts";
import { type EditCursor, editParts, lockedPart } from "../shared/edit.ts";
import { EMPTY_TEXT, legalText, PARAGRAPH, toArgsObject } from "../shared/fields.ts";
import {
  fieldOf,
  type GeminiContent,
  type GeminiPart,
  ID,
  isReasoningPart,
  keyOf,
  onlyText,
  partsOf,
  signatureOf,
  systemParts,
} from "./read.ts";

/**
 * The message with the edits applied. One that would be left without parts gets the text `(empty)`. Where reasoning leaves,
 * the signatures leave that stand on other parts.
 */
export function edit(message: GeminiContent, cursor: EditCursor, { role }: Message): GeminiContent {
  return role === "system" ? editSystem(message, cursor) : editMessage(message, cursor);
}

function editMessage(message: GeminiContent, cursor: EditCursor): GeminiContent {
  const before = (partsOf(message.parts) ?? []) as readonly GeminiPart[];
  const parts = unsigned(
    editParts(before, cursor, { isReasoning: isReasoningPart, replace: replacePart }),
    cursor,
  );
  if (cursor.append.length > 0) return { ...message, parts: [...parts, ...cursor.append.map(textPart)] };
  if (parts.length === 0 && before.length > 0) return { ...message, parts: [textPart(EMPTY_TEXT)] };
  return parts === before ? message : { ...message, parts };
}

function unsigned(parts: readonly GeminiPart[], { strip }: EditCursor): readonly GeminiPart[] {
  const isSigned = (part: unknown) => isRecord(part) && signatureOf(part) !== undefined;
  if (!strip || !parts.some(isSigned)) return parts;
  return parts.map((part) => {
    if (!isSigned(part)) return part;
    const { thoughtSignature: _, thought_signature: __, ...rest } = part as Record<string, unknown>;
    return rest;
  });
}

/** The system instruction keeps its shape: a text stays one, and a list gets a part more. */
function editSystem(message: GeminiContent, cursor: EditCursor): GeminiContent {
  const { content } = message;
  if (typeof content === "string" || content === undefined) {
    const text = content ? (cursor.next() ?? content) : "";
    const texts = [text, ...cursor.append].filter((one) => one !== "");
    return { ...message, content: legalText(texts.join(PARAGRAPH)) };
  }
  const before = systemParts(content) as readonly GeminiPart[];
  const parts = [
    ...editParts(before, cursor, { isReasoning: () => false, replace: replacePart }),
    ...cursor.append.map(textPart),
  ];
  return { ...message, content: isRecord(content) && "parts" in content ? { ...content, parts } : parts };
}

function textPart(text: string): GeminiPart {
  return { text: legalText(text) };
}

function replacePart(part: GeminiPart, text: string): GeminiPart {
  if (typeof part === "string") return textPart(text);
  if (typeof part.text === "string") return { ...part, text: legalText(text) };
  const call = keyOf(part, "functionCall");
  if (call !== undefined) return within(part, call, (value) => ({ ...value, args: toArgsObject(text) }));
  const result = keyOf(part, "functionResponse");
  if (result !== undefined) return within(part, result, (value) => replaceResponse(value, text));
  // A film's frame rate and a picture's resolution leave with it.
  if (fieldOf(part, "inlineData") !== undefined || fieldOf(part, "fileData") !== undefined) {
    const key = keyOf(part, "thoughtSignature");
    return { ...textPart(text), ...(key !== undefined && { [key]: fieldOf(part, "thoughtSignature") }) };
  }
  throw lockedPart(ID, Object.keys(part)[0] ?? "empty");
}

function within(
  part: GeminiPart,
  key: string,
  change: (value: Record<string, unknown>) => object,
): GeminiPart {
  const value = (part as Record<string, unknown>)[key];
  return isRecord(value) ? { ...part, [key]: change(value) } : part;
}

/** All of a response becomes one text, under the name that it had. An error stays one. Its pictures leave. */
function replaceResponse({ parts: _, ...value }: Record<string, unknown>, text: string): object {
  const { response } = value;
  const isError = isRecord(response) && "error" in response;
  const key = onlyText(response)?.key ?? (isError ? "error" : "output");
  return { ...value, response: { [key]: text } };
}
