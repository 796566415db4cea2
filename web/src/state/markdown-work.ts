/** Longer texts are shown as they are (characters). */
const MAX_CHARS = 200_000;
/** Quotes and lists inside of each other, as levels and as columns of white space. */
const MAX_QUOTES = 40;
const MAX_INDENT = 80;
/** Steps that a text may take. A text of some pages takes a few thousand. */
const MAX_STEPS = 1_500_000;

/** Characters that may open or close something: the parser looks from each of them for its other end. */
const SIGNS = /[*_~`[\]()<>!\\&@#$|:.]/g;
const QUOTES = /^[ \t]*(?:>[ \t]{0,4})+/;
const INDENT = /^[ \t]+/;
const BULLET = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

/**
 * Can a text be parsed as Markdown in no time? The parser's work grows with the square of the signs in a paragraph, so
 * 21 KB of `*_a` would stand still for a quarter of a minute. Such a text is no Markdown that anybody wrote.
 */
export function isCheapMarkdown(text: string): boolean {
  if (text.length > MAX_CHARS) return false;
  let steps = 0;
  let signs = 0;
  let chars = 0;
  let isList = false;
  const endBlock = (): void => {
    steps += signs * signs + signs * Math.sqrt(chars);
    signs = 0;
    chars = 0;
  };
  for (const line of text.split("\n")) {
    const indent = INDENT.exec(line)?.[0].length ?? 0;
    if (indent > MAX_INDENT && line.length > indent) return false;
    const quotes = QUOTES.exec(line)?.[0] ?? "";
    if (quotes.length > MAX_QUOTES && quotes.replaceAll(/[ \t]/g, "").length > MAX_QUOTES) return false;
    const isBullet = BULLET.test(line);
    // A number begins a list only where no paragraph goes on.
    if (
      line.trim() === "" ||
      (isBullet && (isList || chars === 0 || !/\d/.test(line.trimStart()[0] ?? "")))
    ) {
      endBlock();
      isList = isBullet;
    }
    signs += line.match(SIGNS)?.length ?? 0;
    chars += line.length;
    if (steps + signs * signs > MAX_STEPS) return false;
  }
  endBlock();
  return steps <= MAX_STEPS;
}
