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
