import type { TokenCounter } from "../core/types.ts";

/**
 * Counts bytes of UTF-8: no text has more tokens than that, because every token stands for at least one byte. Nothing has to
 * be loaded for it.
 */
export const mostTokens: TokenCounter = { id: "utf-8-bytes", count: utf8Length };

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // A pair of surrogates makes four bytes of two units; a lone one leaves as U+FFFD, three bytes.
    bytes += unit < 0x800 ? 1 : isPair(text, at) ? 1 : 2;
  }
  return bytes;
}

/** Is the unit one half of a pair? */
function isPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdfff) return false;
  return unit < 0xdc00 ? isLow(text.charCodeAt(at + 1)) : isHigh(text.charCodeAt(at - 1));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
