/** The part of a text between two places. A character that doesn't stand in it whole, be it of several signs, is left out. */
export function textBetween(text: string, from: number, to: number): string {
  const [start, end] = [characterAt(text, from)?.to ?? from, characterAt(text, to)?.from ?? to];
  // One character may be longer than all that may stay: then no pair of units is cut at least.
  if (start < end) return text.slice(start, end).toWellFormed();
  const first = splitsPair(text, from) ? from + 1 : from;
  return text.slice(first, splitsPair(text, to) ? to - 1 : to).toWellFormed();
}

/** The beginning of a text, of at most so many units. */
export function firstCharacters(text: string, limit: number): string {
  return textBetween(text, 0, limit);
}

/** The end of a text, of at most so many units. */
export function lastCharacters(text: string, limit: number): string {
  return textBetween(text, Math.max(0, text.length - limit), text.length);
}

/** How a text begins and ends, of at most so many units each; a shorter one whole. */
export function bothEnds(text: string, each: number): string {
  if (text.length <= 2 * each) return text;
  return `${firstCharacters(text, each)}\n${lastCharacters(text, each)}`;
}

/** The text, or its beginning with a mark where it is longer than so many units. */
export function cutTo(text: string, limit: number): string {
  return text.length <= limit ? text : `${firstCharacters(text, limit).trimEnd()}…`;
}

/** Signs that go on a character, and emoji, stand behind these code units. */
const FIRST_MARK = 0x300;
/** What is looked at on both sides of a cut: families and flags have some 20 units. */
const LOOKED_AT = 64;
let segmenter: Intl.Segmenter | undefined;

/** The character that a cut at this place goes through, as people see it: with its accents, an emoji with all that is joined to it. */
function characterAt(text: string, at: number): { readonly from: number; readonly to: number } | undefined {
  if (at <= 0 || at >= text.length || text.charCodeAt(at) < FIRST_MARK) return undefined;
  const begin = cutBefore(text, Math.max(0, at - LOOKED_AT));
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const around = text.slice(begin, at + LOOKED_AT);
  const found = segmenter.segment(around).containing(at - begin);
  if (found === undefined || found.index === at - begin) return undefined;
  return { from: begin + found.index, to: begin + found.index + found.segment.length };
}

/** Does a cut at this place go through a character of two units? */
function splitsPair(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}

/** A long text in slices of about so many characters, none of which ends within a surrogate pair. */
export function* textSlices(text: string, chars: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = cutBefore(text, from + chars);
    yield text.slice(from, to);
    from = to;
  }
}

/** `index`, or one less where it would split a surrogate pair. */
export function cutBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : Math.min(index, text.length);
}
