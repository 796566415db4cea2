import { Lexer, type MarkedOptions, type Token, type Tokens } from "marked";
import { isCheapMarkdown } from "./markdown-work.ts";

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

/** A text's blocks; undefined of one that would take long to parse. */
export function parseMarkdown(text: string): readonly Token[] | undefined {
  if (!isCheapMarkdown(text)) return undefined;
  const extensions = /\$\$|\\\[/.test(text) ? BOTH : /\$|\\\(/.test(text) ? INLINE_ONLY : null;
  const tokens = Lexer.lex(text, { gfm: true, extensions });
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
