import type { FilePart, ImagePart, ToolResultPart } from "../../core/types.ts";
import {
  type Arranged,
  type ArrangedPart,
  type Encoded,
  inTurns,
  type Losses,
  leadAndRest,
} from "../shared/arrange.ts";
import { EMPTY_TEXT, toArgsObject } from "../shared/fields.ts";
import { mediaPlaceholder, sourceOf } from "../shared/media.ts";
import type { AnthropicMessage, AnthropicPart } from "./read.ts";

/** Anthropic messages: leading system messages apart, results first in the user message after their calls. */
export function encode(messages: readonly Arranged[], losses: Losses): Encoded<AnthropicMessage> {
  const [lead, rest] = leadAndRest(messages);
  const system = lead.flatMap((message) => encodeParts(message.parts, losses));
  const turns = inTurns(
    rest.map(({ role, parts }) => ({
      role: role === "tool" ? "user" : role,
      parts: encodeParts(parts, losses),
    })),
    { first: [{ type: "text", text: EMPTY_TEXT }], losses },
  );
  const out = turns.map(({ role, parts }) => ({ role, content: parts }));
  return system.length === 0 ? { messages: out } : { messages: out, system };
}

function encodeParts(parts: readonly ArrangedPart[], losses: Losses): AnthropicPart[] {
  return parts.flatMap((part) => encodePart(part, losses) ?? []);
}

function encodePart(part: ArrangedPart, losses: Losses): AnthropicPart | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "file":
      return encodeMedia(part, losses);
    case "reasoning":
      losses.add("reasoning was left out: the API takes only reasoning that it signed itself");
      return undefined;
    case "tool-call":
      return {
        type: "tool_use",
        id: legalName(part.id),
        name: legalName(part.name),
        input: toArgsObject(part.args || "{}"),
      };
    case "tool-result":
      return encodeResult(part, losses);
  }
}

function encodeResult(part: ToolResultPart, losses: Losses): AnthropicPart {
  const media = (part.media ?? []).map((each) => encodeMedia(each, losses));
  const text = part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
  return {
    type: "tool_result",
    tool_use_id: legalName(part.id),
    content: media.length > 0 ? [...text, ...media] : part.text,
    ...(part.error === true ? { is_error: true } : {}),
  };
}

function encodeMedia(part: ImagePart | FilePart, losses: Losses): AnthropicPart {
  if (part.type === "file" && part.text !== undefined) {
    const source = { type: "text", media_type: "text/plain", data: part.text };
    return { type: "document", source, ...(part.name === undefined ? {} : { title: part.name }) };
  }
  const isPicture = part.type === "image";
  const source = sourceOf(part, "application/pdf");
  const isPdf = source.kind !== "base64" || source.mediaType === "application/pdf";
  if (!isPicture && !isPdf) {
    losses.add("a file that is neither text nor PDF became a placeholder");
    return { type: "text", text: mediaPlaceholder(part) };
  }
  const type = isPicture ? "image" : "document";
  if (source.kind === "url") return { type, source: { type: "url", url: source.url } };
  if (source.kind === "id") return { type, source: { type: "file", file_id: source.id } };
  return { type, source: { type: "base64", media_type: source.mediaType, data: source.data } };
}

/** The API takes letters, digits, `_` and `-` in ids and names; other formats take anything. */
function legalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_") || "_";
}
