import { cutBefore } from "../core/text-slices.ts";

/** Longer texts are counted region by region, so that a server can do something else in between (UTF-16 units). */
const REGION_CHARS = 32_768;

/**
 * Where the region that starts at `from` ends: at the last place of its second half that is surely between two pre-tokens.
 * A text of half a region without any such place is cut where the region is full.
 */
export function regionEnd(text: string, from: number): number {
  const limit = from + REGION_CHARS;
  if (text.length <= limit) return text.length;
  for (let at = limit; at > from + REGION_CHARS / 2; at--) if (isSurelyBetween(text, at)) return at;
  return cutBefore(text, limit);
}

const SPACE = 0x20;
const LINE_BREAK = 0x0a;
const APOSTROPHE = 0x27;
const WHITE_SPACE = /\s/u;
/** A line break takes slashes behind it along, and white space on both sides. */
const GOES_ON_BEHIND_LINE = /[\s/]/u;
const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
const SIGN = /[\p{P}\p{S}]/u;

/** Does every pattern of `SPLIT_PATTERNS` cut the text before this place, whatever else it holds? */
function isSurelyBetween(text: string, at: number): boolean {
  const next = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  // A space only begins pre-tokens, or stands among other white space.
  if (next === SPACE) return !WHITE_SPACE.test(text.charAt(at - 1));
  if (before === LINE_BREAK) return !GOES_ON_BEHIND_LINE.test(text.charAt(at));
  if (next === APOSTROPHE || isLowSurrogate(next) || isLowSurrogate(before)) return false;
  // Words, numbers and signs don't mix, but for one sign before a word and a contraction behind it.
  if (isWord(next)) return isNumber(before);
  if (isNumber(next)) return isWord(before);
  return SIGN.test(String.fromCodePoint(text.codePointAt(at)!)) && (isWord(before) || isNumber(before));
}

function isWord(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return LETTER.test(String.fromCharCode(unit));
}

function isNumber(unit: number): boolean {
  return unit < 0x80 ? unit >= 0x30 && unit <= 0x39 : DIGIT.test(String.fromCharCode(unit));
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
