import { setImmediate as breathe } from "node:timers/promises";
import { RequestFault } from "./request-fault.ts";

/** Bodies up to here can't hold so many values that anybody would notice (bytes). */
const SMALL_BYTES = 256 * 1024;
/** How many bytes are looked at before others have their turn. */
const SLICE_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const ZERO = 0x30;
const NINE = 0x39;
/** Numbers with more digits may not fit a double: each is looked at by itself, which costs as much as so many values. */
const LONG_NUMBER = 15;
const LONG_NUMBER_VALUES = 50;

/**
 * Refuses a body with more values than the limit before it is parsed: a parser can't be interrupted, and 60 MB of
 * `1,1,1` keep it busy for seconds, while a text of that size takes it a moment. Undefined if there is nothing to wait
 * for.
 */
export function checkValues(bytes: Buffer, limit: number): Promise<void> | undefined {
  return bytes.length <= SMALL_BYTES ? undefined : scan(bytes, limit);
}

async function scan(bytes: Buffer, limit: number): Promise<void> {
  const state: Scan = { at: 0, values: 0, isInText: false };
  while (state.at < bytes.length) {
    scanSlice(bytes, Math.min(bytes.length, state.at + SLICE_BYTES), state);
    if (state.values > limit)
      throw new RequestFault(
        413,
        "too-many-values",
        `precis: the body has more than ${limit} values. Send less, or raise limits.values.`,
      );
    await breathe();
  }
}

interface Scan {
  at: number;
  /** Fields and list items so far, roughly. */
  values: number;
  /** It stands inside of a text. */
  isInText: boolean;
}

function scanSlice(bytes: Buffer, end: number, state: Scan): void {
  while (state.at < end) {
    if (state.isInText) skipText(bytes, end, state);
    else countValues(bytes, end, state);
  }
}

/** Counts up to `end`, or up to a text. */
function countValues(bytes: Buffer, end: number, state: Scan): void {
  let { at, values } = state;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      state.isInText = true;
      break;
    }
    if (byte === COMMA || byte === COLON || byte === OPEN_LIST || byte === OPEN_OBJECT) values++;
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

/** Goes on behind the quote that ends a text, or to one behind `end` that doesn't: a text may be full of them. */
function skipText(bytes: Buffer, end: number, state: Scan): void {
  const start = state.at;
  while (state.at < end) {
    const quote = bytes.indexOf(QUOTE, state.at);
    if (quote < 0) {
      state.at = bytes.length;
      return;
    }
    let before = quote - 1;
    while (before >= start && bytes[before] === BACKSLASH) before--;
    state.at = quote + 1;
    if ((quote - before) % 2 === 1) {
      state.isInText = false;
      return;
    }
  }
}
