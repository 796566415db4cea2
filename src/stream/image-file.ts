import { readFile } from "node:fs/promises";
import { ConfigError } from "../core/errors.ts";
import { imageSize } from "../tokens/index.ts";
import type { FrameImage } from "./types.ts";

/** What the first bytes of a picture tell about its format. */
const FORMATS: readonly (readonly [mediaType: string, magic: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46]],
];

/** A frame from a picture file: PNG, JPEG, GIF or WebP, told by its content. */
export async function imageFile(path: string): Promise<FrameImage> {
  const bytes = await readFile(path);
  const format = FORMATS.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte));
  if (format === undefined)
    throw new ConfigError({
      option: "images",
      message: `${path} is not a PNG, JPEG, GIF or WebP file.`,
      fix: "Convert it to one of them.",
    });
  const size = imageSize(bytes);
  return { source: `data:${format[0]};base64,${bytes.toString("base64")}`, ...size };
}
