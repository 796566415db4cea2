import type { ImagePart, ModelInfo } from "../core/types.ts";

/** The formulas by which providers charge a picture. */
export type ImageFormula = ModelInfo["images"];

interface Size {
  readonly width: number;
  readonly height: number;
}

// OpenAI, tiles (gpt-4o, gpt-4.1, gpt-5, o1, o3): fit into 2,048 px, short side to 768 px, count tiles of 512 px.
const TILE_FIT_PX = 2_048;
const TILE_SHORT_SIDE_PX = 768;
const TILE_PX = 512;
const TILE_BASE_TOKENS = 85;
const TILE_TOKENS = 170;

// OpenAI, patches (gpt-4.1-mini, gpt-5-mini and newer): squares of 32 px, shrunk until they fit the patch budget.
const PATCH_PX = 32;
const PATCHES_MAX = 1_536;
/** `detail: "original"`, which only large models take: more patches, each counted once. */
const PATCHES_MAX_ORIGINAL = 10_000;
/** `detail: "low"` shrinks the picture to 512 px: 16 × 16 patches. */
const PATCHES_LOW = 256;
/** Small models count a patch up to 2.46 times; 1.62 is that of the mini models, so this rather over-counts. */
const PATCH_MULTIPLIER = 1.62;

// Anthropic: width × height ÷ 750 after shrinking to the largest size that the model sees.
const ANTHROPIC_PIXELS_PER_TOKEN = 750;
const ANTHROPIC_LIMITS = { longSidePx: 1_568, tokens: 1_600 };
/** Opus 4.7 and what came after it sees more of a picture. */
const ANTHROPIC_LARGE_LIMITS = { longSidePx: 2_576, tokens: 4_784 };

// Gemini: 258 tokens up to 384 px on both sides, otherwise 258 per tile of at most 768 px.
const GEMINI_TILE_TOKENS = 258;
const GEMINI_SMALL_PX = 384;
const GEMINI_TILE_MIN_PX = 256;
const GEMINI_TILE_MAX_PX = 768;
/** The tile is the short side divided by this, within the two limits above. */
const GEMINI_TILE_DIVISOR = 1.5;

/** The size that is assumed where neither the wire nor the picture's header tells: a full-screen screenshot. */
const UNKNOWN_SIZE: Size = { width: 1_920, height: 1_080 };

/** What a picture costs by a provider's formula. Its base64 text never counts. */
export function imageTokens(image: ImagePart, formula: ImageFormula): number {
  const known = isPositive(image.width) && isPositive(image.height);
  const size = known ? { width: image.width as number, height: image.height as number } : UNKNOWN_SIZE;
  switch (formula) {
    case "openai":
      return openaiTiles(size, image.detail);
    case "openai-patch":
      return openaiPatches(size, image.detail);
    case "anthropic":
      return anthropic(size, ANTHROPIC_LIMITS);
    case "anthropic-large":
      return anthropic(size, ANTHROPIC_LARGE_LIMITS);
    case "gemini":
      return gemini(size);
    default:
      return formula satisfies never;
  }
}

function openaiTiles(size: Size, detail: ImagePart["detail"]): number {
  if (detail === "low") return TILE_BASE_TOKENS;
  const fitted = shrink(size, TILE_FIT_PX / Math.max(size.width, size.height));
  const { width, height } = shrink(fitted, TILE_SHORT_SIDE_PX / Math.min(fitted.width, fitted.height));
  return TILE_BASE_TOKENS + TILE_TOKENS * Math.ceil(width / TILE_PX) * Math.ceil(height / TILE_PX);
}

function openaiPatches(size: Size, detail: ImagePart["detail"]): number {
  const patches = Math.ceil(size.width / PATCH_PX) * Math.ceil(size.height / PATCH_PX);
  if (detail === "original") return Math.min(patches, PATCHES_MAX_ORIGINAL);
  return Math.ceil(Math.min(patches, detail === "low" ? PATCHES_LOW : PATCHES_MAX) * PATCH_MULTIPLIER);
}

function anthropic(size: Size, limits: typeof ANTHROPIC_LIMITS): number {
  const { width, height } = shrink(size, limits.longSidePx / Math.max(size.width, size.height));
  const tokens = Math.ceil((width * height) / ANTHROPIC_PIXELS_PER_TOKEN);
  return Math.min(limits.tokens, Math.max(1, tokens));
}

function gemini({ width, height }: Size): number {
  if (width <= GEMINI_SMALL_PX && height <= GEMINI_SMALL_PX) return GEMINI_TILE_TOKENS;
  const wanted = Math.floor(Math.min(width, height) / GEMINI_TILE_DIVISOR);
  const tile = Math.min(GEMINI_TILE_MAX_PX, Math.max(GEMINI_TILE_MIN_PX, wanted));
  return GEMINI_TILE_TOKENS * Math.ceil(width / tile) * Math.ceil(height / tile);
}

/** Scales down, never up. */
function shrink(size: Size, scale: number): Size {
  return scale >= 1 ? size : { width: size.width * scale, height: size.height * scale };
}

function isPositive(value: number | undefined): boolean {
  return value !== undefined && Number.isFinite(value) && value > 0;
}

/** Pixel size of a picture, read from its header: PNG, JPEG, GIF and WebP. */

/** How far the header is searched. A JPEG may carry thumbnails and colour profiles before its size. */
const HEADER_BYTES = 65_536;

/** A reader of single bytes that are decoded only when asked for. */
interface Bytes {
  readonly length: number;
  at(index: number): number;
}

/**
 * Width and height in pixels, or undefined where the header doesn't tell. Takes raw bytes, base64 text or a `data:` URL;
 * only the first bytes are decoded.
 *
 * @example
 * imageSize("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"); // { width: 1, height: 1 }
 */
export function imageSize(
  image: string | Uint8Array,
): { readonly width: number; readonly height: number } | undefined {
  const bytes = typeof image === "string" ? decodeBase64(image) : fromArray(image);
  const size = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

function png(bytes: Bytes): Size | undefined {
  if (!matches(bytes, 0, "\x89PNG\r\n\x1a\n") || !matches(bytes, 12, "IHDR")) return undefined;
  return { width: big(bytes, 16, 4), height: big(bytes, 20, 4) };
}

function gif(bytes: Bytes): Size | undefined {
  if (!matches(bytes, 0, "GIF87a") && !matches(bytes, 0, "GIF89a")) return undefined;
  return { width: little(bytes, 6, 2), height: little(bytes, 8, 2) };
}

function webp(bytes: Bytes): Size | undefined {
  if (!matches(bytes, 0, "RIFF") || !matches(bytes, 8, "WEBP")) return undefined;
  // Extended: 24 bits each, less one.
  if (matches(bytes, 12, "VP8X"))
    return { width: little(bytes, 24, 3) + 1, height: little(bytes, 27, 3) + 1 };
  // Lossless: 14 bits each, less one, after a signature byte.
  if (matches(bytes, 12, "VP8L") && bytes.at(20) === 0x2f) {
    const bits = little(bytes, 21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  // Lossy: 14 bits each, the upper two are a scale.
  if (matches(bytes, 12, "VP8 ") && matches(bytes, 23, "\x9d\x01\x2a"))
    return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };
  return undefined;
}

function jpeg(bytes: Bytes): Size | undefined {
  if (!matches(bytes, 0, "\xff\xd8")) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes.at(at) !== 0xff) return undefined;
    const marker = bytes.at(at + 1);
    if (marker === 0xff) {
      at += 1; // fill byte
    } else if (isFrame(marker)) {
      return { width: big(bytes, at + 7, 2), height: big(bytes, at + 5, 2) };
    } else if (marker === 0xda || marker === 0xd9) {
      return undefined; // the picture's data starts: the size would have come before
    } else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += 2; // markers without a body
    } else {
      at += 2 + Math.max(2, big(bytes, at + 2, 2));
    }
  }
  return undefined;
}

/** Start-of-frame markers are 0xC0–0xCF but for the three that define tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function matches(bytes: Bytes, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes.at(at + i) !== text.charCodeAt(i)) return false;
  return true;
}

function big(bytes: Bytes, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 256 + bytes.at(at + i);
  return value;
}

function little(bytes: Bytes, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes.at(at + i);
  return value;
}

function fromArray(array: Uint8Array): Bytes {
  return { length: Math.min(array.length, HEADER_BYTES), at: (index) => array[index] ?? 0 };
}

function decodeBase64(text: string): Bytes {
  // A data URL's own part is short; searching the whole text for a comma would read megabytes.
  const comma = text.startsWith("data:") ? text.slice(0, 256).indexOf(",") : -1;
  const start = comma + 1;
  const length = Math.min(Math.floor(((text.length - start) * 3) / 4), HEADER_BYTES);
  return {
    length,
    at(index) {
      const group = start + Math.floor(index / 3) * 4;
      const bits =
        (sextet(text, group) << 18) |
        (sextet(text, group + 1) << 12) |
        (sextet(text, group + 2) << 6) |
        sextet(text, group + 3);
      return (bits >>> (16 - 8 * (index % 3))) & 0xff;
    },
  };
}

function sextet(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43 || code === 45) return 62; // + and, in URLs, -
  if (code === 47 || code === 95) return 63; // / and _
  return 0;
}
