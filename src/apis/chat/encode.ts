import type { Arranged, ArrangedPart, Encoded, Losses } from "../shared/arrange.ts";
import { joinTexts, toArgsText } from "../shared/fields.ts";
import { asUrl, mediaPlaceholder, sourceOf } from "../shared/media.ts";
import type { ChatMessage, ChatPart, ChatToolCall } from "./read.ts";

/** Chat Completions messages. Pictures in results become placeholders: tool messages take text only. */
export function encode(messages: readonly Arranged[], losses: Losses): Encoded<ChatMessage> {
  return { messages: messages.flatMap((message) => encodeMessage(message, losses)) };
}

function encodeMessage(message: Arranged, losses: Losses): ChatMessage[] {
  if (message.role === "tool") return message.parts.flatMap((part) => encodeResult(part, losses));
  const content: ChatPart[] = [];
  const calls: ChatToolCall[] = [];
  const reasoning: string[] = [];
  for (const part of message.parts) {
    if (part.type === "tool-call") {
      calls.push({
        id: part.id,
        type: "function",
        function: { name: part.name, arguments: toArgsText(part.args || "{}") },
      });
    } else if (part.type === "reasoning") {
      if (part.signed) losses.add("signed reasoning was left out: its signature can't be carried over");
      else reasoning.push(part.text);
    } else {
      const encoded = encodePart(part, message.role === "user", losses);
      if (encoded !== undefined) content.push(encoded);
    }
  }
  return [
    {
      role: message.role,
      content: contentOf(content) ?? null,
      ...(reasoning.length > 0 ? { reasoning_content: joinTexts(reasoning) } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ];
}

/** A single text is sent as a string, which every server takes. */
function contentOf(parts: readonly ChatPart[]): string | readonly ChatPart[] | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.length === 1 && typeof first.text === "string" ? first.text : parts;
}

function encodeResult(part: ArrangedPart, losses: Losses): ChatMessage[] {
  if (part.type !== "tool-result") return [];
  const media = (part.media ?? []).map(mediaPlaceholder);
  if (media.length > 0) losses.add("media in a tool result became a placeholder");
  const texts = part.text === "" && media.length > 0 ? media : [part.text, ...media];
  return [{ role: "tool", tool_call_id: part.id, content: joinTexts(texts) }];
}

function encodePart(part: ArrangedPart, media: boolean, losses: Losses): ChatPart | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "file" && part.text !== undefined) return { type: "text", text: part.text };
  if (part.type !== "image" && part.type !== "file") return undefined;
  const source = sourceOf(part);
  const url = asUrl(source);
  if (media && part.type === "image" && url !== undefined) {
    return {
      type: "image_url",
      image_url: { url, ...(part.detail === undefined ? {} : { detail: part.detail }) },
    };
  }
  if (media && part.type === "file" && source.kind !== "url") {
    const name = part.name === undefined ? {} : { filename: part.name };
    const [kind, format] = (part.mediaType ?? "").split("/");
    if (kind === "audio" && source.kind === "base64")
      return { type: "input_audio", input_audio: { data: source.data, format } };
    return {
      type: "file",
      file: { ...name, ...(source.kind === "id" ? { file_id: source.id } : { file_data: url }) },
    };
  }
  losses.add(`a part of type \`${part.type}\` became a placeholder`);
  return { type: "text", text: mediaPlaceholder(part) };
}
