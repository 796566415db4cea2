import type { FilePart, ImagePart } from "../../core/types.ts";
import { parseDataUrl } from "./media.ts";

/** What a part's `source` is, for writing it in another format. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "id"; readonly id: string };

/** How the base64 of the common picture formats begins. */
const PICTURES: readonly (readonly [prefix: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** Shorter texts that look like base64 are file ids. */
const MIN_BASE64 = 64;
/** Characters looked at to tell base64 from an id. */
const SAMPLE = 256;

/** The source of a picture or file; `fileType` is the media type of a file that doesn't say its own. */
export function sourceOf(part: ImagePart | FilePart, fileType = "application/octet-stream"): MediaSource {
  return mediaSource(part.source, part.type === "image" ? "image/png" : (part.mediaType ?? fileType));
}

export function mediaSource(source: string, fallbackType: string): MediaSource {
  const data = parseDataUrl(source);
  if (data?.base64 === true) {
    return { kind: "base64", mediaType: data.mediaType || fallbackType, data: source.slice(data.start) };
  }
  if (data !== undefined || /^(https?|gs|s3|file|blob):/i.test(source.slice(0, 8)))
    return { kind: "url", url: source };
  const picture = PICTURES.find(([prefix]) => source.startsWith(prefix));
  if (picture !== undefined) return { kind: "base64", mediaType: picture[1], data: source };
  const looksEncoded = source.length >= MIN_BASE64 && /^[A-Za-z0-9+/]+=*$/.test(source.slice(0, SAMPLE));
  return looksEncoded
    ? { kind: "base64", mediaType: fallbackType, data: source }
    : { kind: "id", id: source };
}

/** The source as one URL, where a format takes pictures and files only so. */
export function asUrl(source: MediaSource): string | undefined {
  if (source.kind === "url") return source.url;
  return source.kind === "base64" ? `data:${source.mediaType};base64,${source.data}` : undefined;
}

/** Stands for a picture or file that a format has no place for. */
export function mediaPlaceholder(part: { readonly type: "image" | "file"; readonly name?: string }): string {
  return part.name === undefined ? `[${part.type}]` : `[${part.type} ${part.name}]`;
}
