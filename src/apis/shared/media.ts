import { defined } from "../../core/collections.ts";
import type { FilePart, FramePart, ImagePart, Part } from "../../core/types.ts";
import { imageSize } from "../../tokens/image-tokens.ts";
import { joinTexts } from "./fields.ts";

/** What a `data:` URL says about itself, without a copy of its content. */
interface DataUrl {
  readonly mediaType: string;
  /** Where the content begins in the URL. */
  readonly start: number;
  readonly base64: boolean;
}

/** Longest `data:` header that is looked at; real ones have fewer than 100 characters. */
const MAX_HEADER = 512;

export function parseDataUrl(url: string): DataUrl | undefined {
  if (!url.startsWith("data:")) return undefined;
  const comma = url.slice(0, MAX_HEADER).indexOf(",");
  if (comma < 0) return undefined;
  const header = url.slice("data:".length, comma);
  const [mediaType = ""] = header.split(";");
  return { mediaType, start: comma + 1, base64: header.endsWith(";base64") };
}

/** Size in bytes of what a base64 text of `length` characters stands for. */
export function base64Bytes(text: string, start = 0): number {
  let length = text.length - start;
  while (length > 0 && text[start + length - 1] === "=") length -= 1;
  return Math.floor((length * 3) / 4);
}

type ImageDetail = NonNullable<ImagePart["detail"]>;

function imageDetail(value: unknown): ImageDetail | undefined {
  return value === "low" || value === "high" || value === "auto" || value === "original" ? value : undefined;
}

/** A picture given by URL, `data:` URL, file id or plain base64. */
export function imagePart(source: string, detail?: unknown): ImagePart {
  const known = imageDetail(detail);
  return { type: "image", source, ...sizeOf(source), ...(known === undefined ? {} : { detail: known }) };
}

/** Pixels from the picture's own header, when it travels inside the message. */
function sizeOf(source: string): { width: number; height: number } | undefined {
  return source.startsWith("http") ? undefined : imageSize(source);
}

/** Pictures of a video, one by one (Qwen's `video`). */
export function framesPart(frames: readonly unknown[]): FramePart {
  const source = frames.map((frame) => (typeof frame === "string" ? frame : "")).join("\n");
  return { type: "frame", count: frames.length, source };
}

/** A video given as one address that holds its pictures one after the other, as vLLM takes it; undefined if it is none. */
export function framesIn(url: string): FramePart | undefined {
  return url.startsWith("data:video/jpeg;base64,") ? framesPart(url.split(",").slice(1)) : undefined;
}

/** An attachment given by URL, `data:` URL, file id or plain base64. */
export function filePart(fields: {
  source: string;
  name?: string | undefined;
  mediaType?: string | undefined;
  text?: string | undefined;
  bytes?: number | undefined;
}): FilePart {
  const data = parseDataUrl(fields.source);
  const mediaType = fields.mediaType ?? data?.mediaType;
  const bytes = fields.bytes ?? (data?.base64 === true ? base64Bytes(fields.source, data.start) : undefined);
  return {
    type: "file",
    source: fields.source,
    ...(fields.name === undefined ? {} : { name: fields.name }),
    ...(mediaType === undefined || mediaType === "" ? {} : { mediaType }),
    ...defined({ bytes, text: fields.text }),
  };
}

/**
 * What a result says that is made of parts: its texts as one, where reductions and the working set look for them, and beside them what is
 * no text.
 */
export function gathered(parts: Iterable<Part>): { text: string; media?: (ImagePart | FilePart)[] } {
  const texts: string[] = [];
  const media: (ImagePart | FilePart)[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "other") texts.push(part.json);
    else if (part.type === "image") media.push(part);
    else if (part.type === "file") {
      if (part.text === undefined) media.push(part);
      else texts.push(part.text);
    }
  }
  return { text: joinTexts(texts), ...(media.length > 0 && { media }) };
}

/** What a part's `source` is, for writing it in another format. */
type MediaSource =
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

/** Texts and bytes as base64, in every runtime. */

/** One base64 text of several: each piece may be filled up at its end. Pieces that are no base64 count for nothing. */
export function joinBase64(pieces: readonly string[]): string {
  return btoa(pieces.map(decoded).join(""));
}

/** A text as base64 that may stand in addresses. */
export function sealText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text in it; the empty text where it isn't base64. */
export function unsealText(sealed: string): string {
  const binary = decoded(sealed.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

function decoded(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}
