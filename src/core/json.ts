/** An object whose fields can be looked at. Arrays are none: no wire format, option or record is one. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A number as it was written, where a double would change it. `JSON.stringify` writes it like that again. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** What newer engines add to JSON. Where an engine hasn't got it, numbers are doubles. */
const json = JSON as unknown as {
  rawJSON?(source: string): ExactNumber;
  isRawJSON?(value: unknown): value is ExactNumber;
};

/** JSON text as a value in which no number is changed: one that a double can't hold is an `ExactNumber`. */
export function parseExact(text: string): unknown {
  const { value, numbers } = parseMarked(text);
  return withNumbers(value, numbers);
}

/** What `parseExact` reads; undefined if the text isn't JSON. */
export function tryParseExact(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** What may be a number that a double can't hold; the shortest one is `1e400`. */
const LONG_NUMBER = /-?\d[\d.eE+-]{4,}/g;
const LEAST_CHARACTERS = 5;
/** Doubles from here on are marks; a mark's number stands in its upper bits. No text can forge one: what is as large is marked itself. */
const FIRST_MARK = 2 ** 1023;
const MARKS = 2 ** 40;

/**
 * The text parsed, with marks in the place of numbers that a double can't hold: a reviver would be called for every value, and took
 * thirty times as long for a megabyte of small ones. What it returns can be handed from thread to thread; `withNumbers` makes it whole.
 */
export function parseMarked(text: string): { readonly value: unknown; readonly numbers: readonly string[] } {
  const numbers: string[] = [];
  if (!json.rawJSON) return { value: JSON.parse(text), numbers };
  const marked = replaceNumbers(text, (source) => {
    const isMarked = isInexact(source) || (NUMBER.test(source) && Math.abs(Number(source)) >= FIRST_MARK);
    if (!isMarked) return source;
    return String(FIRST_MARK * (1 + (numbers.push(source) - 1) / MARKS));
  });
  return { value: JSON.parse(marked), numbers };
}

/** Puts numbers as they were written in the place of their marks. A list of what is open, because JSON may be nested to any depth. */
export function withNumbers(value: unknown, numbers: readonly string[]): unknown {
  if (numbers.length === 0) return value;
  const whole = { value };
  const open: object[] = [whole];
  for (let holder = open.pop(); holder; holder = open.pop()) {
    const look = (key: string | number, one: unknown): void => {
      if (typeof one === "object" && one !== null) open.push(one);
      if (typeof one !== "number" || one < FIRST_MARK) return;
      const source = numbers[Math.round((one / FIRST_MARK - 1) * MARKS)]!;
      // A field called `__proto__` is a field like any other.
      Object.defineProperty(holder, key, {
        value: isInexact(source) ? json.rawJSON!(source) : Number(source),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    };
    // By number: the names of a million places would be a million texts.
    if (Array.isArray(holder)) for (let at = 0; at < holder.length; at++) look(at, holder[at]);
    else for (const [key, one] of Object.entries(holder)) look(key, one);
  }
  return whole.value;
}

/**
 * Leaps over strings, which most of a text is: it runs over every text that comes in, so it must be much faster than to parse it.
 * (An expression for all of the text takes as long as a parser, and one that matches strings runs out of stack at some million escapes.)
 */
function replaceNumbers(text: string, replace: (source: string) => string): string {
  let replaced = "";
  let done = 0;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('"', at);
    const quote = found < 0 ? text.length : found;
    if (quote - at >= LEAST_CHARACTERS) {
      const outside = text.slice(at, quote);
      const other = outside.replace(LONG_NUMBER, replace);
      if (other !== outside) {
        replaced += text.slice(done, at) + other;
        done = quote;
      }
    }
    at = behindString(text, quote);
  }
  return done === 0 ? text : replaced + text.slice(done);
}

function behindString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text[first - 1] === "\\") first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON?.(value) ?? false;
}

/** JSON text with its numbers as doubles: so it comes back from clients that know no others. */
export function withDoubles(text: string): string {
  return replaceNumbers(text, (source) => (isInexact(source) ? JSON.stringify(Number(source)) : source));
}

/** A number with so few characters is as exact as it was written, unless it is too large or too small. */
const SURE_CHARACTERS = 15;
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

/**
 * JSON that is nested deeper than this is read as a text. No tool's result means anything to a reader at such a depth,
 * and whoever walks through it needs a stack as deep: 6 KB of brackets are enough to break one.
 */
const MAX_READ_DEPTH = 400;

/** A text as a value whose depth is bounded, so that it can be walked through. Throws if it isn't JSON or is deeper. */
export function parseReadable(text: string): unknown {
  const value = parseExact(text);
  // A level takes two characters.
  if (text.length > 2 * MAX_READ_DEPTH && isDeeper(value, MAX_READ_DEPTH))
    throw new SyntaxError(`nested deeper than ${MAX_READ_DEPTH} levels`);
  return value;
}

/** What `parseReadable` reads; undefined if the text isn't JSON or is deeper. */
export function tryParseReadable(text: string): unknown {
  try {
    return parseReadable(text);
  } catch {
    return undefined;
  }
}

/** Are there more levels than the limit? */
function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  for (const one of Array.isArray(value) ? value : Object.values(value))
    if (typeof one === "object" && isDeeper(one, limit - 1)) return true;
  return false;
}

/**
 * `JSON.stringify` for values of any depth: what it can't write because its stack ends is written without one. Throws a
 * `TypeError` for what isn't JSON (a value that holds itself, a big integer), as `JSON.stringify` does.
 */
export function stringifyDeep(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return writeLevels(value);
  }
}

/** An object or a list that is being written. */
interface Level {
  readonly of: object;
  /** The names of an object; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

function writeLevels(value: unknown): string {
  const pieces: string[] = [];
  const levels: Level[] = [];
  const open = new Set<object>();
  const write = (one: unknown): void => {
    if (!isLevel(one)) {
      pieces.push(JSON.stringify(one) ?? "null");
      return;
    }
    if (open.has(one)) throw new TypeError("a value that holds itself can't be JSON");
    open.add(one);
    const isList = Array.isArray(one);
    const keys = isList ? undefined : Object.keys(one).filter((key) => isWritten(one[key]));
    pieces.push(isList ? "[" : "{");
    levels.push({ of: one, keys, values: isList ? one : keys!.map((key) => (one as Fields)[key]), next: 0 });
  };
  write(value);
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { of, keys, values, next } = level;
    if (next === values.length) {
      pieces.push(keys ? "}" : "]");
      open.delete(of);
      levels.pop();
      continue;
    }
    level.next++;
    if (next > 0) pieces.push(",");
    if (keys) pieces.push(`${JSON.stringify(keys[next])}:`);
    write(values[next]);
  }
  return pieces.join("");
}

type Fields = Readonly<Record<string, unknown>>;

/** What has values in it. Numbers as they were written, dates and the like write themselves. */
function isLevel(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  return !("toJSON" in value) && !isRaw(value);
}

const isRaw = (JSON as { isRawJSON?: (value: unknown) => boolean }).isRawJSON ?? (() => false);

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}
