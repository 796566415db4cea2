import { RequestFault } from "./request-fault.ts";

/** Fields and list items of one body, in all: as many are parsed within a tenth of a second. */
const MAX_VALUES = 500_000;
/** Bodies up to here can't hold so many values that anybody would notice (bytes). */
const SMALL_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
/** `[` and `{`, and what closes them, differ from each other in one bit that isn't looked at. */
const OTHER_BRACKET = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;
/** Numbers with more digits may not fit a double: each is looked at by itself, which costs as much as so many values. */
const LONG_NUMBER = 15;
const LONG_NUMBER_VALUES = 50;
/** What is nested deeper than this is read and written without a stack, which takes as long as so many values for each level. */
const DEEP = 5_000;
const DEEP_VALUES = 20;
/** Strings are mostly either shorter than this or much longer; a native search pays only for the latter (bytes). */
const SHORT_STRING = 24;

/** Refuses a body with more values than the limit before it is parsed: 60 MB of `1,1,1` would take seconds and a gigabyte. */
export function checkValues(bytes: Buffer, limit = MAX_VALUES): void {
  if (bytes.length <= SMALL_BYTES) return;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length && values <= limit; at++) {
    const byte = bytes[at]!;
    const bracket = byte & ~OTHER_BRACKET;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (byte === COMMA || byte === COLON) values++;
    else if (bracket === OPEN) values += ++depth > DEEP ? DEEP_VALUES : 1;
    else if (bracket === CLOSE) depth--;
    else if (byte >= ZERO && byte <= NINE) {
      const start = at;
      while (bytes[at + 1]! >= ZERO && bytes[at + 1]! <= NINE) at++;
      if (at - start >= LONG_NUMBER) values += LONG_NUMBER_VALUES;
    }
  }
  if (values > limit)
    throw new RequestFault(
      413,
      "too-many-values",
      `precis: the body has more than ${limit} values, or is nested too deep. Send less.`,
    );
}

/** The quote that ends a string, or the end of the bytes. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start; ; at++) {
    const near = Math.min(bytes.length, at + SHORT_STRING);
    while (at < near && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at < near) return at;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    // Of the backslashes before it, those belong together two and two that stand behind what was looked at one by one.
    let first = quote;
    while (first > at && bytes[first - 1] === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote;
  }
}
