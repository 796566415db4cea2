import { replaceTexts } from "./replace-texts.ts";

/** A number as it was written, where a double would change it. `JSON.stringify` writes it like that again. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** What newer engines add to JSON. Where an engine hasn't got it, numbers are doubles. */
interface SourceJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(source: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}

const json = JSON as unknown as Pick<SourceJson, "parse"> & Partial<SourceJson>;

/** JSON text as a value in which no number is changed: one that a double can't hold is an `ExactNumber`. */
export function parseExact(text: string): unknown {
  const { rawJSON } = json;
  if (!rawJSON) return JSON.parse(text);
  const numbers = findInexact(text);
  if (numbers.length === 0) return JSON.parse(text);
  return parseMarked(text, numbers, rawJSON) ?? parseRevived(text, rawJSON);
}

/**
 * Each of the numbers is parsed as a text that stands for it, and then put in its place. A reviver would be called for
 * every value: one number of 20 digits made a text of many small values take 30 to 100 times as long.
 */
function parseMarked(
  text: string,
  numbers: readonly Place[],
  rawJSON: SourceJson["rawJSON"],
): unknown | undefined {
  const pieces: string[] = [];
  let from = 0;
  for (const [index, { start, end }] of numbers.entries()) {
    pieces.push(text.slice(from, start), JSON.stringify(`${MARK}${index}`));
    from = end;
  }
  pieces.push(text.slice(from));
  const whole = { value: JSON.parse(pieces.join("")) as unknown };
  let found = 0;
  let isUnclear = false;
  replaceTexts(whole, (one) => {
    if (!one.startsWith(MARK)) return undefined;
    const place = numbers[Number(one.slice(MARK.length))];
    if (!place) {
      isUnclear = true;
      return undefined;
    }
    found++;
    return rawJSON(text.slice(place.start, place.end));
  });
  // A text of the same words was there already, or a field came twice: which is which can't be told any more.
  return found === numbers.length && !isUnclear ? whole.value : undefined;
}

/** Begins the text that stands for a number. */
const MARK = "\u0001precis number ";

function parseRevived(text: string, rawJSON: SourceJson["rawJSON"]): unknown {
  try {
    return json.parse(text, (_, value, { source }) =>
      typeof value === "number" && source !== undefined && isInexact(source) ? rawJSON(source) : value,
    );
  } catch (error) {
    // Nested deeper than this way can go.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** A number that may not be exact as a double: many digits, or an exponent. What stands in a string may look like it, too. */
const DOUBTFUL = /(?:^|[:,[\s])-?\d(?:[\d.]{14}|[\d.]*[eE])/;

/** What `parseExact` reads; undefined if the text isn't JSON. */
export function tryParseExact(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** The same for a text of many short values, such as events: there is little in it to leap over. */
export function parseExactDense(text: string): unknown {
  return DOUBTFUL.test(text) ? parseExact(text) : JSON.parse(text);
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON?.(value) ?? false;
}

/** Strings and numbers of a JSON text. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;

/** JSON text with its numbers as doubles: so it comes back from clients that know no others. */
export function withDoubles(text: string): string {
  if (findInexact(text, 1).length === 0) return text;
  return text.replace(TOKENS, (token) =>
    !token.startsWith('"') && isInexact(token) ? JSON.stringify(Number(token)) : token,
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A string's first characters are looked at one by one: for short ones that is faster than a search. */
const SHORT_STRING = 24;
/** Characters of the shortest number that a double can't hold: `1e400`. */
const LEAST_CHARACTERS = 5;
/** A number with so few characters is as exact as it was written, unless it is too large or too small. */
const SURE_CHARACTERS = 15;

/** Where a number stands in a text. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The numbers that a double can't hold, up to `most` of them. Runs over every text that comes in, so it must be much faster
 * than to parse it: strings, which most of a text is, are leapt over.
 */
function findInexact(text: string, most = Number.POSITIVE_INFINITY): Place[] {
  const found: Place[] = [];
  for (let at = 0; found.length < most; ) {
    let quote = at;
    while (quote < text.length && text.charCodeAt(quote) !== QUOTE) quote++;
    if (quote - at >= LEAST_CHARACTERS) findInexactIn(text, at, quote, found);
    if (quote >= text.length) return found;
    at = endOfString(text, quote + 1) + 1;
  }
  return found;
}

/** The place of the quote that ends a string whose first character is given; the text's end if none does. */
export function endOfString(text: string, start: number): number {
  const short = Math.min(start + SHORT_STRING, text.length);
  let at = start;
  while (at < short) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let first = quote;
    while (first > at && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** The same for a part of the text that has no strings in it. */
function findInexactIn(text: string, from: number, to: number, found: Place[]): void {
  for (let at = from; at < to; at++) {
    if (!isInNumber(text.charCodeAt(at))) continue;
    const start = at;
    while (at < to && isInNumber(text.charCodeAt(at))) at++;
    if (at - start >= LEAST_CHARACTERS && isInexact(text.slice(start, at))) found.push({ start, end: at });
  }
}

/** Digits and `+-.eE`; commas and slashes lie between them. */
function isInNumber(code: number): boolean {
  return code <= 0x39 ? code >= 0x2b && code !== 0x2c && code !== 0x2f : code === 0x45 || code === 0x65;
}

const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Smaller doubles have fewer digits. */
const LEAST_NORMAL = 2.3e-308;

/** Would the number be another one after it was a double? */
function isInexact(source: string): boolean {
  const double = Number(source);
  if (source.length <= SURE_CHARACTERS) {
    const size = Math.abs(double);
    if (size >= LEAST_NORMAL && size !== Number.POSITIVE_INFINITY) return false;
  }
  if (Number.isNaN(double)) return false;
  const written = decimalOf(source);
  return written !== undefined && written !== decimalOf(String(double));
}

/** Digits of the longest exponent that is looked at; no number but zero with a longer one is a double. */
const MOST_EXPONENT = 6;

/** A number's digits and where their point is, the same for all ways to write it; undefined for none. */
function decimalOf(source: string): string | undefined {
  const [, whole, fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  if (whole === undefined) return undefined;
  if (exponent.length > MOST_EXPONENT) return source;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0") start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === "0") end--;
  return start === end
    ? "0"
    : `${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
