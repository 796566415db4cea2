import type { FilePart, ImagePart, ToolResultPart } from "../../core/types.ts";
import {
  type Arranged,
  type ArrangedPart,
  type Encoded,
  type Losses,
  leadAndRest,
} from "../shared/arrange.ts";
import { PARAGRAPH, toArgsText } from "../shared/fields.ts";
import { asUrl, mediaPlaceholder, sourceOf } from "../shared/media.ts";
import type { ResponsesItem, ResponsesPart } from "./read.ts";

/** Responses items: one for each message, call and output. Leading system messages become the `instructions`. */
export function encode(messages: readonly Arranged[], losses: Losses): Encoded<ResponsesItem> {
  const [lead, rest] = leadAndRest(messages);
  const instructions = lead.flatMap((message) => message.parts.flatMap(textOf));
  const items = rest.flatMap((message) => encodeMessage(message, losses));
  return instructions.length === 0
    ? { messages: items }
    : { messages: items, system: instructions.join(PARAGRAPH) };
}

function textOf(part: ArrangedPart): string[] {
  return part.type === "text" ? [part.text] : [];
}

function encodeMessage(message: Arranged, losses: Losses): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  let content: ResponsesPart[] = [];
  const role = message.role === "system" ? "developer" : message.role;
  const flush = () => {
    if (content.length > 0) items.push({ type: "message", role, content });
    content = [];
  };
  for (const part of message.parts) {
    if (part.type === "tool-call") {
      flush();
      const args = toArgsText(part.args || "{}");
      items.push({ type: "function_call", call_id: part.id, name: part.name, arguments: args });
    } else if (part.type === "tool-result") {
      flush();
      items.push(encodeResult(part, losses));
    } else if (part.type === "reasoning") {
      losses.add("reasoning was left out: the API takes only reasoning that it made itself");
    } else {
      const encoded = encodePart(part, role, losses);
      if (encoded !== undefined) content.push(encoded);
    }
  }
  flush();
  return items;
}

function encodeResult(part: ToolResultPart, losses: Losses): ResponsesItem {
  const media = (part.media ?? []).map((each) => encodeMedia(each, "user", losses));
  const text = part.text === "" ? [] : [{ type: "input_text", text: part.text }];
  const output = media.length > 0 ? [...text, ...media] : part.text;
  return { type: "function_call_output", call_id: part.id, output };
}

function encodePart(part: ArrangedPart, role: string, losses: Losses): ResponsesPart | undefined {
  const type = role === "assistant" ? "output_text" : "input_text";
  if (part.type === "text") return { type, text: part.text };
  return part.type === "image" || part.type === "file" ? encodeMedia(part, role, losses) : undefined;
}

function encodeMedia(part: ImagePart | FilePart, role: string, losses: Losses): ResponsesPart {
  const type = role === "assistant" ? "output_text" : "input_text";
  if (part.type === "file" && part.text !== undefined) return { type, text: part.text };
  if (role !== "user") {
    losses.add(`a part of type \`${part.type}\` became a placeholder`);
    return { type, text: mediaPlaceholder(part) };
  }
  const isPicture = part.type === "image";
  const source = sourceOf(part);
  if (isPicture) {
    const place = source.kind === "id" ? { file_id: source.id } : { image_url: asUrl(source) };
    return { type: "input_image", detail: part.detail ?? "auto", ...place };
  }
  const name = part.name === undefined ? {} : { filename: part.name };
  if (source.kind === "id") return { type: "input_file", ...name, file_id: source.id };
  if (source.kind === "url") return { type: "input_file", ...name, file_url: source.url };
  return { type: "input_file", ...name, file_data: asUrl(source) };
}
