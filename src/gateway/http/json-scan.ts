/** Finds where the messages of a request end without reading them. It gives up at what it doesn't expect; parsing comes after. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Strings are mostly either shorter than this or much longer; a native search pays only for the latter (bytes). */
const SHORT_STRING = 24;

/** Nothing was found where something must be. */
const NOT_FOUND = -1;

/** The first byte from `at` on that isn't white space. */
function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    next++;
  }
  return next;
}

/** Behind the value that begins at `at`. */
function skipValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return skipWord(bytes, at);
  let depth = 0;
  for (let next = at; next < bytes.length; next++) {
    const byte = bytes[next]!;
    if (byte === QUOTE) {
      const end = skipString(bytes, next);
      if (end === NOT_FOUND) return NOT_FOUND;
      next = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth--;
      if (depth === 0) return next + 1;
    }
  }
  return NOT_FOUND;
}

function skipString(bytes: Buffer, at: number): number {
  let from = at + 1;
  for (;;) {
    let quote = NOT_FOUND;
    const near = Math.min(bytes.length, from + SHORT_STRING);
    for (let next = from; next < near; next++)
      if (bytes[next] === QUOTE) {
        quote = next;
        break;
      }
    if (quote === NOT_FOUND) quote = bytes.indexOf(QUOTE, near);
    if (quote === NOT_FOUND) return NOT_FOUND;
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
    from = quote + 1;
  }
}

function skipWord(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length) {
    const byte = bytes[next]!;
    if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || byte <= 0x20) break;
    next++;
  }
  return next > at ? next : NOT_FOUND;
}

/** Where the elements of a list end; `from` is behind its opening bracket or behind one of its elements. */
export function scanList(
  bytes: Buffer,
  from: number,
): { readonly ends: readonly number[]; readonly close: number } | undefined {
  const ends: number[] = [];
  let at = skipSpace(bytes, from);
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === CLOSE_LIST) return { ends, close: at };
    const start = byte === COMMA ? skipSpace(bytes, at + 1) : at;
    const end = skipValue(bytes, start);
    if (end === NOT_FOUND) return undefined;
    ends.push(end);
    at = skipSpace(bytes, end);
  }
  return undefined;
}

/** A list that is a field of the outermost object: where its name begins, and behind its opening bracket. */
export function findList(
  bytes: Buffer,
  names: readonly string[],
): { readonly name: string; readonly key: number; readonly open: number } | undefined {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  at = skipSpace(bytes, at + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = skipString(bytes, at);
    if (keyEnd === NOT_FOUND) return undefined;
    const name = bytes.toString("latin1", at + 1, keyEnd - 1);
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const value = skipSpace(bytes, colon + 1);
    if (names.includes(name))
      return bytes[value] === OPEN_LIST ? { name, key: at, open: value + 1 } : undefined;
    const end = skipValue(bytes, value);
    if (end === NOT_FOUND) return undefined;
    at = skipSpace(bytes, end);
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
  return undefined;
}
