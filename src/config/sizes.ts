import type { Kind } from "../core/options.ts";

/** Sizes as people write them. Each function returns undefined for what isn't one. */

const TOKEN_UNITS = new Map([
  ["", 1],
  ["k", 1_000],
  ["m", 1_000_000],
]);

const KIBIBYTE = 1024;
const BYTE_UNITS = new Map([
  ["", 1],
  ["b", 1],
  ["k", KIBIBYTE],
  ["kb", KIBIBYTE],
  ["m", KIBIBYTE ** 2],
  ["mb", KIBIBYTE ** 2],
  ["g", KIBIBYTE ** 3],
  ["gb", KIBIBYTE ** 3],
]);

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
export const DAY_MS = 24 * HOUR_MS;
const TIME_UNITS = new Map([
  ["ms", 1],
  ["s", SECOND_MS],
  ["m", 60 * SECOND_MS],
  ["h", HOUR_MS],
  ["d", DAY_MS],
  ["w", 7 * DAY_MS],
]);

/** `8000`, `8,000`, `8_000`, `8k`, `1.5m` as a number of tokens. */
export function tokensIn(text: string): number | undefined {
  return sizeIn(text, TOKEN_UNITS);
}

/** `67108864`, `512k`, `64mb`, `1g` as a number of bytes. */
export function bytesIn(text: string): number | undefined {
  return sizeIn(text, BYTE_UNITS);
}

/** `500ms`, `30s`, `10m`, `12h`, `30d`, `4w` in milliseconds. A number alone says nothing of its unit. */
export function millisecondsIn(text: string): number | undefined {
  return sizeIn(text, TIME_UNITS);
}

/** `0.8`, `0,8`, `1`, `80%` as a share. */
function shareIn(text: string): number | undefined {
  const [, share, percent] = /^\s*(?:(0?[.,]\d+|1(?:[.,]0+)?)|(\d+(?:[.,]\d+)?)\s*%)\s*$/.exec(text) ?? [];
  const value = Number((share ?? percent)?.replace(",", ".")) / (share === undefined ? 100 : 1);
  return value > 0 && value <= 1 ? value : undefined;
}

/** A number as it is, a text by its unit. */
export const sizeOf = (given: unknown, read: (text: string) => number | undefined): number | undefined =>
  typeof given === "number" ? given : typeof given === "string" ? read(given) : undefined;

/** What is given for a kind of value, sizes and times read by their units. */
export function written(kind: Pick<Kind, "is">, given: unknown): unknown {
  const whole = (size = Number.NaN): number => (Number.isSafeInteger(size) ? size : Number.NaN);
  switch (kind.is) {
    case "tokens":
    case "size":
      return whole(sizeOf(given, tokensIn));
    case "time":
      return whole(sizeOf(given, millisecondsIn));
    case "threshold":
    case "share":
      return sizeOf(given, (text) => shareIn(text) ?? tokensIn(text));
    default:
      return given;
  }
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ["on", true],
  ["yes", true],
  ["true", true],
  ["off", false],
  ["no", false],
  ["false", false],
]);

/** What a person typed for a kind of value, where everything is a text. */
export function typed(kind: Pick<Kind, "is">, text: string): unknown {
  if (kind.is === "switch") return SWITCHES.get(text.toLowerCase());
  if (kind.is === "count") return tokensIn(text);
  if (kind.is === "number") return /^-?\d*[.,]?\d+$/.test(text) ? Number(text.replace(",", ".")) : undefined;
  return written(kind, text);
}

/** Digits, with a comma or an underscore between thousands (`32,5` is no 325), a fraction, and a unit. */
const SIZE = /^(\d+|\d{1,3}(?:[_,]\d{3})+)(\.\d+)?\s*([a-z]*)$/i;

function sizeIn(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, whole, fraction, name] = SIZE.exec(text.trim()) ?? [];
  const unit = units.get(name?.toLowerCase() ?? "");
  // Half a token is a slip, or a share.
  if (whole === undefined || unit === undefined || (fraction !== undefined && unit === 1)) return undefined;
  const size = Math.round(Number(whole.replace(/[_,]/g, "") + (fraction ?? "")) * unit);
  return Number.isSafeInteger(size) ? size : undefined;
}
