import type { FilePart, ImagePart, ToolResultPart } from "../../core/types.ts";
import type { Arranged, ArrangedPart, Encoded, Losses } from "../shared/arrange.ts";
import { PARAGRAPH, toArgsObject } from "../shared/fields.ts";
import { mediaPlaceholder, sourceOf } from "../shared/media.ts";
import type { AiSdkMessage, ModelPart } from "./read.ts";

/** `ModelMessage`s. The parts that are used exist in versions 5 to 7 of the SDK. */
export function encode(messages: readonly Arranged[], losses: Losses): Encoded<AiSdkMessage> {
  return { messages: messages.flatMap((message) => encodeMessage(message, losses)) };
}

function encodeMessage(message: Arranged, losses: Losses): AiSdkMessage[] {
  const { role, parts } = message;
  if (role === "system") {
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(PARAGRAPH);
    return [{ role, content: text }];
  }
  const content = parts.flatMap((part) => encodePart(part, losses) ?? []);
  return [{ role, content }];
}

function encodePart(part: ArrangedPart, losses: Losses): ModelPart | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "file":
      return encodeMedia(part, losses);
    case "reasoning":
      if (!part.signed) return { type: "reasoning", text: part.text };
      losses.add("signed reasoning was left out: its signature can't be carried over");
      return undefined;
    case "tool-call": {
      const input = toArgsObject(part.args || "{}");
      return { type: "tool-call", toolCallId: part.id, toolName: part.name, input };
    }
    case "tool-result":
      return {
        type: "tool-result",
        toolCallId: part.id,
        toolName: part.name ?? "",
        output: encodeOutput(part),
      };
  }
}

function encodeOutput(part: ToolResultPart): unknown {
  if (part.media === undefined)
    return { type: part.error === true ? "error-text" : "text", value: part.text };
  const value = part.media.map((each) => {
    const isPicture = each.type === "image";
    const source = sourceOf(each);
    if (source.kind === "id") return { type: isPicture ? "image-file-id" : "file-id", fileId: source.id };
    if (source.kind === "url") return { type: isPicture ? "image-url" : "file-url", url: source.url };
    return { type: isPicture ? "image-data" : "file-data", data: source.data, mediaType: source.mediaType };
  });
  return { type: "content", value: part.text === "" ? value : [{ type: "text", text: part.text }, ...value] };
}

function encodeMedia(part: ImagePart | FilePart, losses: Losses): ModelPart {
  if (part.type === "file" && part.text !== undefined) return { type: "text", text: part.text };
  const isPicture = part.type === "image";
  const source = sourceOf(part);
  if (source.kind === "id") {
    losses.add(`a part of type \`${part.type}\` that is known by its id became a placeholder`);
    return { type: "text", text: mediaPlaceholder(part) };
  }
  const data = source.kind === "url" ? source.url : source.data;
  const mediaType =
    source.kind === "base64" ? source.mediaType : part.type === "file" ? part.mediaType : undefined;
  if (isPicture) return { type: "image", image: data, ...(mediaType === undefined ? {} : { mediaType }) };
  const name = part.name === undefined ? {} : { filename: part.name };
  return { type: "file", data, mediaType: mediaType ?? "application/octet-stream", ...name };
}
