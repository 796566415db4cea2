import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart } from "../../core/types.ts";
import { joinTexts } from "../shared/legal-text.ts";
import { base64Bytes, filePart, imagePart } from "../shared/media.ts";

/** A part of type `image`, or undefined when its source is of a kind that this version doesn't know. */
export function readImage(part: Record<string, unknown>): ImagePart | undefined {
  const source = sourceText(part.source);
  return source === undefined ? undefined : imagePart(source);
}

/** A part of type `document`. */
export function readDocument(part: Record<string, unknown>): FilePart | undefined {
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
export function readSearchResult(part: Record<string, unknown>): FilePart | undefined {
  const { title, source, content } = part;
  if (typeof source !== "string") return undefined;
  const lines = [typeof title === "string" ? title : "", source, contentText(content)].filter(
    (line) => line !== "",
  );
  return filePart({ source, name: typeof title === "string" ? title : undefined, text: joinTexts(lines) });
}

/** Stands for a picture inside a document's text. */
const PICTURE = "[image]";

/** Text of a string or of a list of text parts. */
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
