import { stripVTControlCharacters } from "node:util";
import { firstCharacters } from "../core/first-characters.ts";
import type { Message, Part } from "../core/types.ts";

/** Numbers in a terminal. */

export { formatCount, formatDollars } from "../core/words.ts";

/** 950 → `950`, 12345 → `12.3k`, 1234567 → `1.23M`. */
export function formatShort(value: number): string {
  if (value >= 999_500) return `${trim((value / 1e6).toFixed(value < 1e7 ? 2 : 1))}M`;
  if (value >= 1_000) return `${trim((value / 1e3).toFixed(value < 1e5 ? 1 : 0))}k`;
  return String(Math.round(value));
}

/** 0.1234 → `12.3 %`. */
export const formatShare = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

/** How much less (or more) the first is than the second: `−61.6 %`. */
export function formatChange(value: number, base: number): string {
  if (base === 0) return "±0 %";
  const change = value / base - 1;
  if (Math.abs(change) < 0.0005) return "±0 %";
  return `${change < 0 ? "−" : "+"}${Math.abs(change * 100).toFixed(1)} %`;
}

/** A moment to the minute: `2026-01-31 23:59`. */
export const formatTime = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 16);

const trim = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** Control characters but tab and line feed: what a model, a tool or a page says must not steer the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text that is safe on a terminal: no cursor movements, no colours, no titles, no bells. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text).replace(/\r\n/g, "\n").replace(CONTROLS, "");

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${firstCharacters(text, Math.max(0, width - 1))}…`;

/** Characters of a text that a line is made from where nobody says how wide it is. */
const LINE_CHARS = 500;

/** One line of it, at most `width` characters. */
export const oneLine = (text: string, width = LINE_CHARS): string =>
  cut(
    plainText(firstCharacters(text, 4 * width))
      .replace(/\s+/g, " ")
      .trim(),
    width,
  );

/** The beginning of a message, on one line. */
export const previewOf = ({ parts }: Pick<Message, "parts">, width?: number): string =>
  oneLine(parts.map(partText).join(" "), width);

/** What a part says, in plain words, without reasoning. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `→ ${part.name}(${part.args})`;
    case "tool-result":
      return `← ${part.text}`;
    case "reasoning":
      return "";
    default:
      return `[${part.type}]`;
  }
}
