import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/json.ts";
import { joinTexts } from "../shared/legal-text.ts";
import { readData } from "./read-data.ts";

/** What a tool result says. */
export interface ReadOutput {
  readonly text: string;
  readonly error?: true;
  readonly media?: readonly (ImagePart | FilePart)[];
}

/** The `output` of a tool result; older versions have a plain value there. */
export function readOutput(output: unknown): ReadOutput {
  if (!isRecord(output)) return { text: typeof output === "string" ? output : toJson(output) };
  const { type, value, reason } = output;
  switch (type) {
    case "text":
      return { text: nameText(value) };
    case "json":
      return { text: toJson(value) };
    case "error-text":
      return { text: nameText(value), error: true };
    case "error-json":
      return { text: toJson(value), error: true };
    case "execution-denied":
      return { text: typeof reason === "string" ? reason : "", error: true };
    case "content":
      return readContent(value);
    default:
      return { text: toJson(output) };
  }
}

function readContent(value: unknown): ReadOutput {
  if (!Array.isArray(value)) return { text: toJson(value) };
  const texts: string[] = [];
  const media: (ImagePart | FilePart)[] = [];
  for (const part of value) {
    if (isRecord(part) && part.type === "text" && typeof part.text === "string") {
      texts.push(part.text);
      continue;
    }
    const file = isRecord(part) ? readFile(part) : undefined;
    if (file === undefined) texts.push(toJson(part));
    else if (file.type === "file" && file.text !== undefined) texts.push(file.text);
    else media.push(file);
  }
  return { text: joinTexts(texts), ...(media.length > 0 ? { media } : {}) };
}

/** The names under which the SDK's versions have put files into results. */
function readFile(part: Record<string, unknown>): ImagePart | FilePart | undefined {
  const { type, data, url, fileId, mediaType, filename } = part;
  switch (type) {
    case "file":
    case "media":
    case "file-data":
      return readData(data, mediaType, filename);
    case "image-data":
      return readData(data, mediaType ?? "image/*", filename);
    case "file-url":
      return readData(url, mediaType, filename);
    case "image-url":
      return readData(url, mediaType ?? "image/*", filename);
    case "file-id":
    case "file-reference":
      return readData(
        { type: "reference", reference: fileId ?? part.providerReference },
        mediaType,
        filename,
      );
    case "image-file-id":
    case "image-file-reference":
      return readData(
        { type: "reference", reference: fileId ?? part.providerReference },
        "image/*",
        filename,
      );
    default:
      return undefined;
  }
}
