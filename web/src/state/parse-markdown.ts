import { Lexer, type MarkedOptions, type Token, type Tokens } from "marked";

/** A formula in the language of TeX. */
export interface Formula extends Tokens.Generic {
  readonly type: "formula";
  readonly text: string;
  /** On lines of its own. */
  readonly isBlock: boolean;
}

/** `$$…$$` and `\[…\]` on lines of their own, and within one. None goes over an empty line: what isn't closed is looked at no further. */
const BLOCK = /^ {0,3}(?:\$\$((?:(?!\n\s*\n)[^$])+)\$\$|\\\[((?:(?!\\\]|\n\s*\n)[\s\S])+)\\\])[ \t]*(?:\n|$)/;
const BLOCK_START = /\n {0,3}(?:\$\$|\\\[)/;
const INLINE =
  /^(?:\$\$((?:(?!\n\s*\n)[^$])+)\$\$|\\\[((?:(?!\\\]|\n\s*\n)[\s\S])+)\\\]|\\\(((?:(?!\\\)|\n\s*\n)[\s\S])+)\\\))/;
/** `$…$` within a line: no space inside of the signs, and no figure or capital behind them, as in `$5-$6` and `$HOME/$USER`. */
const DOLLARS = /^\$(?=\S)((?:\\.|[^\\$\n])*[^\s\\$])\$(?![\dA-Z_$])/;
/** What begins with a figure is an amount of money, unless it is nothing but that or has something to set. */
const AMOUNT = /^\d(?![\d.,]*$)(?!.*[\\^_=+<>{}])/;
/** A sign behind a letter or another sign opens no formula, as in `US$5`. */
const CLOSED = /[\w$\\]$/;

const formula = (raw: string, text: string, isBlock: boolean): Formula => ({
  type: "formula",
  raw,
  text: text.trim(),
  isBlock,
});

function blockFormula(source: string): Formula | undefined {
  const found = BLOCK.exec(source);
  return found ? formula(found[0], found[1] ?? found[2]!, true) : undefined;
}

function inlineFormula(source: string, before: readonly Token[]): Formula | undefined {
  const found = INLINE.exec(source);
  if (found) return formula(found[0], found[1] ?? found[2] ?? found[3]!, found[3] === undefined);
  const [raw, text] = DOLLARS.exec(source) ?? [];
  if (raw === undefined || text === undefined || AMOUNT.test(text)) return undefined;
  return CLOSED.test(before.at(-1)?.raw ?? "") ? undefined : formula(raw, text, false);
}

const found = (index: number | undefined): number | undefined => (index === -1 ? undefined : index);

const INLINE_ONLY: NonNullable<MarkedOptions["extensions"]> = {
  inline: [(source, tokens) => inlineFormula(source, tokens)],
  startInline: [(source) => found(source.search(/\$|\\[([]/))],
  childTokens: {},
  renderers: {},
};
const BOTH: typeof INLINE_ONLY = {
  ...INLINE_ONLY,
  block: [blockFormula],
  startBlock: [(source) => found(source.search(BLOCK_START))],
};

/** Longer texts are shown as they are, with their blocks of code and without (characters). */
const MAX_WITH_CODE = 1_000_000;
const MAX_CHARS = 200_000;
const CODE = /^ *(```|~~~)[\s\S]*?^ *\1/gm;
/** Quotes and lists inside of each other: 40 of them. */
const NESTED = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){40}|^[ \t]{80,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;
/** Characters that may open or close something: the parser looks from each of them for its other end. */
const SIGNS = /[*_~`[\]()<>!\\&@#$|:.]/g;
/** Steps that a text may take. A text of some pages takes a few thousand. */
const MAX_STEPS = 1_500_000;

/**
 * A text's blocks; undefined of one that would take long to parse. Within a paragraph the parser's work grows with the square of
 * the signs in it, so 21 KB of `*_a` would stand still for a quarter of a minute. Such a text is no Markdown that anybody wrote.
 */
export function parseMarkdown(text: string): readonly Token[] | undefined {
  if (text.length > MAX_WITH_CODE || NESTED.test(text)) return undefined;
  if (text.length > MAX_CHARS && text.replace(CODE, "").length > MAX_CHARS) return undefined;
  const extensions = /\$\$|\\\[/.test(text) ? BOTH : /\$|\\\(/.test(text) ? INLINE_ONLY : null;
  // As `Lexer.lex` does it, with a look at the paragraphs before they are parsed.
  const lexer = new Lexer({ gfm: true, extensions });
  const { tokens, inlineQueue } = lexer;
  lexer.blockTokens(text.replace(/\r\n?/g, "\n"), tokens);
  const steps = inlineQueue.reduce((sum, { src }) => {
    const signs = src.match(SIGNS)?.length ?? 0;
    return sum + signs * signs + signs * Math.sqrt(src.length);
  }, 0);
  if (steps > MAX_STEPS) return undefined;
  for (const part of inlineQueue) lexer.inlineTokens(part.src, part.tokens);
  nestHeadings(tokens.filter((token) => token.type === "heading") as Tokens.Heading[]);
  return tokens;
}

/** Headings of a message stand below those of the page (1 and 2), and none skips a level: who hears a page goes by them. */
function nestHeadings(headings: readonly Tokens.Heading[]): void {
  const depths = [...new Set(headings.map(({ depth }) => depth))].sort();
  let last = 2;
  for (const heading of headings) {
    last = Math.min(last + 1, 3 + depths.indexOf(heading.depth), 6);
    heading.depth = last;
  }
}
