import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart } from "../../core/types.ts";
import { toJson } from "../shared/json.ts";
import { base64Bytes, filePart, imagePart, parseDataUrl } from "../shared/media.ts";

/** Bytes that are turned into characters at once; more would overflow the argument list of `fromCharCode`. */
const SLICE_BYTES = 8_192;

/** Reading runs over the whole transcript on every call, so bytes that were encoded once aren't encoded again. */
const known = new WeakMap<object, string>();

/** A picture or another file, from whichever of the SDK's shapes its data has. */
export function readData(
  data: unknown,
  mediaType: unknown,
  name: unknown,
  detail?: unknown,
): ImagePart | FilePart | undefined {
  const content = dataText(data);
  if (content === undefined) return undefined;
  const type = typeof mediaType === "string" ? mediaType : parseDataUrl(content.source)?.mediaType;
  if (type?.startsWith("image")) return imagePart(content.source, detail);
  return filePart({
    source: content.source,
    name: typeof name === "string" ? name : undefined,
    mediaType: type,
    ...(content.text === undefined ? {} : { text: content.text }),
    ...(content.base64 ? { bytes: base64Bytes(content.source) } : {}),
  });
}

interface Content {
  readonly source: string;
  readonly base64?: boolean;
  readonly text?: string;
}

function dataText(data: unknown): Content | undefined {
  if (typeof data === "string")
    return /^[a-z]+:/i.test(data.slice(0, 8)) ? { source: data } : { source: data, base64: true };
  if (data instanceof URL) return { source: data.href };
  if (data instanceof Uint8Array) return { source: toBase64(data), base64: true };
  if (data instanceof ArrayBuffer) return { source: toBase64(new Uint8Array(data)), base64: true };
  if (!isRecord(data)) return undefined;
  switch (data.type) {
    case "data":
      return dataText(data.data);
    case "url":
      return dataText(
        typeof data.url === "string" ? data.url : data.url instanceof URL ? data.url : undefined,
      );
    case "text":
      return typeof data.text === "string" ? { source: data.text, text: data.text } : undefined;
    case "reference":
      return { source: toJson(data.reference) };
    default:
      // What JSON makes of a Node buffer, and references by provider.
      return { source: toJson(data) };
  }
}

function toBase64(bytes: Uint8Array): string {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  const text = btoa(binary);
  known.set(bytes, text);
  return text;
}
