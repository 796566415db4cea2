import type { FilePart, FramePart, ImagePart } from "../../core/types.ts";
import { imageSize } from "../../tokens/image-tokens.ts";

/** What a `data:` URL says about itself, without a copy of its content. */
export interface DataUrl {
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
    ...(bytes === undefined ? {} : { bytes }),
    ...(fields.text === undefined ? {} : { text: fields.text }),
  };
}
