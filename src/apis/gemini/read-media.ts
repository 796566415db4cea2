import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart } from "../../core/types.ts";
import { base64Bytes, filePart, imagePart } from "../shared/media.ts";
import { fieldOf, textField } from "./wire.ts";

/** A picture, a sound, a film or a document: inside of the message, or by its address. */
export function readMedia(part: Record<string, unknown>): ImagePart | FilePart | undefined {
  const data = fieldOf(part, "inlineData");
  const file = fieldOf(part, "fileData");
  const blob = isRecord(data) ? data : isRecord(file) ? file : undefined;
  if (blob === undefined) return undefined;
  const source = blob === data ? blob.data : fieldOf(blob, "fileUri");
  if (typeof source !== "string") return undefined;
  const mediaType = textField(blob, "mimeType");
  if (mediaType?.startsWith("image/")) return imagePart(source);
  const name = textField(blob, "displayName");
  return filePart({ source, name, mediaType, ...(blob === data && { bytes: base64Bytes(source) }) });
}
