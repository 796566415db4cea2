import { setImmediate as breathe } from "node:timers/promises";
import { LONG_TEXT_BYTES, type TextPlace } from "./long-texts.ts";
import { RequestFault } from "./request-fault.ts";

/** Fields and list items of one body, in all: as many are parsed within a tenth of a second. */
const MAX_VALUES = 500_000;
/** Bodies up to here can't hold so many values that anybody would notice (bytes). */
const SMALL_BYTES = 64 * 1024;
/** How many bytes are looked at before others have their turn. */
const SLICE_BYTES = 1024 * 1024;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;
/** Numbers with more digits may not fit a double: each is looked at by itself, which costs as much as so many values. */
const LONG_NUMBER = 15;
const LONG_NUMBER_VALUES = 50;
/** What is nested deeper than this is read and written without a stack, which takes as long as so many values for each level. */
const DEEP = 5_000;
const DEEP_VALUES = 20;

/**
 * Refuses a body with more values than the limit before it is parsed: a parser can't be interrupted, and 60 MB of
 * `1,1,1` keep it busy for seconds. Resolves with the texts that are too long to be parsed at once. Undefined if there is
 * nothing to wait for.
 */
export function checkValues(bytes: Buffer, limit = MAX_VALUES): Promise<readonly TextPlace[]> | undefined {
  if (bytes.length <= SMALL_BYTES) return undefined;
  const state: Scan = {
    at: 0,
    values: 0,
    depth: 0,
    isInText: false,
    isEscaped: false,
    textStart: 0,
    longTexts: [],
  };
  // Nobody notices one slice, and a promise would let the request wait for its next turn.
  scanSlice(bytes, limit, state);
  return state.at < bytes.length ? scanRest(bytes, limit, state) : undefined;
}

async function scanRest(bytes: Buffer, limit: number, state: Scan): Promise<readonly TextPlace[]> {
  while (state.at < bytes.length) {
    await breathe();
    scanSlice(bytes, limit, state);
  }
  return state.longTexts;
}

interface Scan {
  at: number;
  /** Fields and list items so far, roughly. */
  values: number;
  /** Lists and objects that are open. */
  depth: number;
  isInText: boolean;
  /** The byte at which it stands in a text is the second one of an escape. */
  isEscaped: boolean;
  /** Where the newest text begins, behind its quote. */
  textStart: number;
  readonly longTexts: TextPlace[];
}

function scanSlice(bytes: Buffer, limit: number, state: Scan): void {
  const end = Math.min(bytes.length, state.at + SLICE_BYTES);
  const slice = bytes.subarray(0, end);
  while (state.at < end) {
    if (state.isInText) skipText(bytes, slice, state);
    else countValues(bytes, end, state);
  }
  if (state.values > limit)
    throw new RequestFault(
      413,
      "too-many-values",
      `precis: the body has more than ${limit} values, or is nested too deep. Send less.`,
    );
}

/** Counts up to `end`, or up to a text. */
function countValues(bytes: Buffer, end: number, state: Scan): void {
  let { at, values } = state;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      state.isInText = true;
      state.textStart = at;
      break;
    }
    if (byte === COMMA || byte === COLON) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) values += ++state.depth > DEEP ? DEEP_VALUES : 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) state.depth--;
    else if (byte >= ZERO && byte <= NINE) {
      const start = at;
      while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
      if (at - start > LONG_NUMBER) values += LONG_NUMBER_VALUES;
      continue;
    }
    at++;
  }
  state.at = at;
  state.values = values;
}

/** So many bytes behind an escape are looked at one by one: a search costs more where the next quote is near. */
const NEAR_BYTES = 32;

/** Goes on behind the quote that ends a text, or to the end of the slice, which begins where the body does. */
function skipText(bytes: Buffer, slice: Buffer, state: Scan): void {
  const end = slice.length;
  let { at, isEscaped } = state;
  let quote = -1;
  while (at < end && quote < 0) {
    const near = Math.min(end, at + NEAR_BYTES);
    for (; at < near; at++) {
      const byte = slice[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) break;
    }
    if (at < near) quote = at;
    else if (at < end) {
      // Nothing in between can be the end, so only what stands right before the next quote matters.
      const found = slice.indexOf(QUOTE, at);
      const to = found < 0 ? end : found;
      isEscaped = isEscapedAt(slice, at, to, isEscaped);
      if (found >= 0 && !isEscaped) quote = found;
      at = to;
    }
  }
  state.isEscaped = isEscaped;
  if (quote < 0) {
    state.at = end;
    return;
  }
  state.at = quote + 1;
  state.isInText = false;
  const text = { start: state.textStart, end: quote };
  if (quote - text.start > LONG_TEXT_BYTES && !isName(bytes, quote + 1)) state.longTexts.push(text);
}

/** Is the byte at `to` escaped? Backslashes before it belong together two and two, from the first one that isn't escaped itself. */
function isEscapedAt(bytes: Buffer, from: number, to: number, isFirstEscaped: boolean): boolean {
  let before = to;
  while (before > from && bytes[before - 1] === BACKSLASH) before--;
  const slashes = to - before - (before === from && isFirstEscaped ? 1 : 0);
  return slashes % 2 !== 0;
}

/** Is what ends at a place the name of a field? */
function isName(bytes: Buffer, end: number): boolean {
  let at = end;
  while (at < bytes.length && bytes[at]! <= SPACE) at++;
  return bytes[at] === COLON;
}
