/** Longer texts are shown as they are, not counting blocks of code, and with them (characters). */
const MAX_CHARS = 200_000;
const MAX_WITH_CODE = 2_000_000;
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
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
/** The line below the header of a table, and lines of which cells are easily counted. */
const RULE = /^\|(?: *:?-+:? *\|)+ *$/;
const PLAIN_ROW = /^\|[^\\`]*\| *$/;
const MATH = /\$\$|\\\[/;
const UNSURE = /^[\s>*+\-\d.)]*(?:<[a-z!?/]|`{3}|~{3})/i;

/**
 * Can a text be parsed as Markdown in no time? The parser's work grows with the square of the signs in a paragraph, so
 * 21 KB of `*_a` would stand still for a quarter of a minute. Such a text is no Markdown that anybody wrote.
 */
export function isCheapMarkdown(text: string): boolean {
  if (text.length > MAX_WITH_CODE) return false;
  let steps = 0;
  let signs = 0;
  let chars = 0;
  let all = 0;
  let isList = false;
  let isTable = false;
  /** A fence may be no fence for the parser: from here on everything counts. */
  let isUnsure = false;
  /** A formula may have begun, and hold what looks like a fence. */
  let isMath = false;
  let before = "";
  let fence: { readonly indent: number; readonly end: RegExp } | undefined;
  const endBlock = (): void => {
    steps += signs * signs + signs * Math.sqrt(chars);
    signs = 0;
    chars = 0;
  };
  for (const line of text.split("\n")) {
    const indent = INDENT.exec(line)?.[0].length ?? 0;
    const isEmpty = line.trim() === "";
    if (fence !== undefined && !isEmpty && indent < fence.indent) {
      // It may have ended with the entry of a list that it stood in.
      isUnsure = true;
      fence = undefined;
    }
    if (fence !== undefined) {
      // Code is taken as it is, whatever signs are in it.
      if (fence.end.test(line)) fence = undefined;
      continue;
    }
    const opens = FENCE.exec(line);
    isUnsure ||= opens === null ? UNSURE.test(line) : isMath;
    isMath = !isEmpty && (isMath || MATH.test(line));
    if (opens !== null && !isUnsure) {
      endBlock();
      fence = { indent, end: new RegExp(`^ {0,3}${opens[2]}[~\`]* *$`) };
      before = "";
      continue;
    }
    if (indent > MAX_INDENT && line.length > indent) return false;
    const quotes = QUOTES.exec(line)?.[0] ?? "";
    if (quotes.length > MAX_QUOTES && quotes.replaceAll(/[ \t]/g, "").length > MAX_QUOTES) return false;
    const isBullet = BULLET.test(line);
    isTable =
      line.startsWith("|") &&
      (isTable || (RULE.test(line) && PLAIN_ROW.test(before) && cells(line) === cells(before)));
    // A number begins a list only where no paragraph goes on, and each row of a table is parsed alone.
    if (
      isEmpty ||
      isTable ||
      (isBullet && (isList || chars === 0 || !/\d/.test(line.trimStart()[0] ?? "")))
    ) {
      endBlock();
      isList = isBullet;
    }
    before = line;
    signs += line.match(SIGNS)?.length ?? 0;
    chars += line.length;
    all += line.length;
    if (all > MAX_CHARS || steps + signs * signs > MAX_STEPS) return false;
  }
  endBlock();
  return steps <= MAX_STEPS;
}

const cells = (row: string): number => row.split("|").length;
