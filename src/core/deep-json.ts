import { parseExact } from "./exact-json.ts";

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
