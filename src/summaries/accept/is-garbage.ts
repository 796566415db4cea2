/** Loops and noise: what a model writes when it has lost its way. Counted in characters, so any language will do. */

/** Length of the pieces that are compared, and of the stretches in which they are counted: long loops need long ones. */
const PIECE = 12;
const SHORT_STRETCH = 300;
const STRETCHES = [SHORT_STRETCH, 600, 1_200, 1_800];
/** Shorter texts are judged by words and lines alone. */
const MIN_STRETCH = 240;
/** In text of any language nearly all pieces of a stretch differ; in lists and tables at least every third does. */
const MIN_DISTINCT = 0.3;
/** In a short stretch a few long paths with one beginning look alike. */
const MIN_DISTINCT_SHORT = 0.2;
/** The same line so often, and in such a share of all lines. */
const SAME_LINE = 6;
const SAME_LINE_SHARE = 0.4;
/** The same long line, in a smaller share. */
const LONG_LINE = 40;
const SAME_LONG_LINE_SHARE = 0.2;
/** Words that may all be equal without being a loop ("no no no"). */
const MIN_WORDS = 4;
/** Letters and digits among all characters that aren't blank. */
const MIN_READABLE = 0.35;
/** Characters that stand for broken encoding. */
const MAX_BROKEN = 0.05;

export function isGarbage(text: string): boolean {
  return isNoise(text) || allWordsEqual(text) || repeatsLines(text) || loops(text);
}

function isNoise(text: string): boolean {
  const visible = text.replace(/\s+/g, "");
  if (visible === "") return false;
  const readable = visible.match(/[\p{L}\p{N}\p{M}]/gu)?.length ?? 0;
  const broken = visible.match(/\ufffd/g)?.length ?? 0;
  // Rules and borders of tables are no noise, as long as they stand around words.
  const bare = visible.replace(/([^\p{L}\p{N}])\1{2,}/gu, "$1");
  return readable < bare.length * MIN_READABLE || broken > visible.length * MAX_BROKEN;
}

function allWordsEqual(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.length >= MIN_WORDS && new Set(words).size === 1;
}

function repeatsLines(text: string): boolean {
  const lines = text
    .split("\n")
    // Numbers at the front of a looping list differ.
    .map((line) => line.replace(/^[\s\d.):*#>-]+/, "").trim())
    .filter((line) => (line.match(/\p{L}/gu)?.length ?? 0) >= 3);
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  for (const [line, count] of times) {
    const share = line.length >= LONG_LINE ? SAME_LONG_LINE_SHARE : SAME_LINE_SHARE;
    if (count >= SAME_LINE && count >= lines.length * share) return true;
  }
  return false;
}

/** A stretch of text in which the same pieces come back again and again. */
function loops(text: string): boolean {
  const plain = text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/([^\p{L}\p{N}])\1+/gu, "$1")
    .trim();
  if (plain.length < MIN_STRETCH) return hasShortLoop(plain);
  return STRETCHES.some((length) => {
    const last = Math.max(0, plain.length - length);
    for (let from = 0; from < last; from += length / 2)
      if (isLoop(plain.slice(from, from + length))) return true;
    return isLoop(plain.slice(last));
  });
}

function isLoop(stretch: string): boolean {
  const pieces = new Set<string>();
  const total = stretch.length - PIECE + 1;
  for (let at = 0; at < total; at++) pieces.add(stretch.slice(at, at + PIECE));
  return pieces.size < total * (stretch.length <= SHORT_STRETCH ? MIN_DISTINCT_SHORT : MIN_DISTINCT);
}

/** A short text that is one piece, over and over. */
function hasShortLoop(text: string): boolean {
  return /^(.{1,40}?)\1{5,}.{0,40}$/s.test(text) && text.length >= 24;
}
