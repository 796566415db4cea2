import { type EditCursor, editParts, lockedPart, resultContent } from "../shared/edit.ts";
import { EMPTY_TEXT, legalText, toArgsObject } from "../shared/fields.ts";
import { type AnthropicMessage, type AnthropicPart, ID, isReasoningPart } from "./read.ts";

/**
 * The message with the edits applied. One that would be left without content gets a text part `(empty)`. Text that is
 * appended becomes a part of its own, so that a system prompt keeps its cache breakpoint before it.
 */
export function edit(message: AnthropicMessage, cursor: EditCursor): AnthropicMessage {
  const before = message.content ?? [];
  let content = before;
  if (typeof content === "string") {
    const text = content === "" ? undefined : cursor.next();
    if (text !== undefined) content = legalText(text);
  } else {
    content = editParts(content, cursor, { isReasoning: isReasoningPart, replace: replacePart });
    if (content.length === 0 && before.length > 0 && cursor.append.length === 0) {
      content = [textPart(EMPTY_TEXT)];
    }
  }
  if (cursor.append.length > 0) content = [...asParts(content), ...cursor.append.map(textPart)];
  return content === before ? message : { ...message, content };
}

function textPart(text: string): AnthropicPart {
  return { type: "text", text: legalText(text) };
}

function asParts(content: string | readonly AnthropicPart[]): readonly AnthropicPart[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [textPart(content)];
}

function replacePart(part: AnthropicPart, text: string): AnthropicPart {
  switch (part.type) {
    case "text": {
      // Citations quote the text that is gone.
      const { citations, ...rest } = part as AnthropicPart & { citations?: unknown };
      return { ...rest, text: legalText(text) };
    }
    case "tool_use":
      return { ...part, input: toArgsObject(text) };
    case "tool_result":
      return { ...part, content: resultContent(part.content, text, textPart(text)) };
    case "image":
    case "document":
    case "search_result": {
      // A cache breakpoint belongs to the place, not to the picture.
      const marker = part.cache_control === undefined ? {} : { cache_control: part.cache_control };
      return { ...textPart(text), ...marker };
    }
    default:
      throw lockedPart(ID, part.type);
  }
}
