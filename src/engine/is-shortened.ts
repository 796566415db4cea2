import { isExactNumber, tryParseExact } from "../core/exact-json.ts";
import type { Part } from "../core/types.ts";
import { mediaPlaceholder, resultWithoutMedia } from "../reductions/old-images.ts";
import { sourcesOf } from "../reductions/old-retrieval.ts";
import { SUPERSEDED } from "../reductions/superseded-results.ts";

/** What stands where text was taken out, with the space that is put around it. */
const CLIP_MARKER = /\s?\[… \d+ characters(?:, \d+ lines)? not shown …\]\s?/u;
const LEFT_OUT_ITEMS = /^… \d+ more …$/u;
/** What is left of a result that has no room at all. */
const NOTHING_LEFT = "…";

/**
 * Is this what a reduction or a cut can make of a part? Then it says nothing that the part doesn't say: it is the part with
 * pieces taken out, or one of the fixed texts that stand for it.
 */
export function isShortened(text: string, part: Part): boolean {
  switch (part.type) {
    case "text":
      return isExcerpt(text, part.text);
    case "tool-result":
      return (
        text === NOTHING_LEFT ||
        SUPERSEDED.test(text) ||
        isExcerpt(text, resultWithoutMedia(part)) ||
        isExcerpt(text, sourcesOf(part.text) ?? "")
      );
    case "tool-call":
      return isShorterJson(text, part.args);
    case "image":
    case "frame":
    case "file":
      return text === mediaPlaceholder(part);
    default:
      return false;
  }
}

/** Pieces of the original in their order, with markers between. */
function isExcerpt(text: string, original: string): boolean {
  let from = 0;
  for (const piece of text.split(CLIP_MARKER)) {
    const at = original.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

function isShorterJson(text: string, original: string): boolean {
  const [value, before] = [tryParseExact(text), tryParseExact(original)];
  if (value === undefined) return false;
  const isWrapped =
    typeof before !== "object" || before === null || Array.isArray(before) || isExactNumber(before);
  return isShorterValue(value, isWrapped ? { clipped: before ?? original } : before);
}

function isShorterValue(value: unknown, original: unknown): boolean {
  if (typeof value === "string") return typeof original === "string" && isExcerpt(value, original);
  if (Array.isArray(value)) {
    if (!Array.isArray(original)) return false;
    const gap = value.findIndex((item) => typeof item === "string" && LEFT_OUT_ITEMS.test(item));
    const before = gap < 0 || value.length === original.length ? value : value.slice(0, gap);
    const after = before === value ? [] : value.slice(gap + 1);
    return (
      before.length + after.length <= original.length &&
      before.every((item, at) => isShorterValue(item, original[at])) &&
      after.every((item, at) => isShorterValue(item, original[original.length - after.length + at]))
    );
  }
  if (typeof value === "object" && value !== null && !isExactNumber(value)) {
    if (typeof original !== "object" || original === null) return false;
    return Object.entries(value).every(
      ([key, inner]) =>
        Object.hasOwn(original, key) && isShorterValue(inner, (original as Record<string, unknown>)[key]),
    );
  }
  return JSON.stringify(value) === JSON.stringify(original);
}
