import { rows, type Script } from "./script.ts";

/** Rows that one statement takes, largest first. Few sizes, because a statement is prepared once for each. */
const SIZES = [32, 8, 4, 2, 1] as const;

/** Parts of a list that are each as long as one of the sizes. */
function inSizes<T>(list: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let at = 0; at < list.length; ) {
    const size = SIZES.find((one) => one <= list.length - at) ?? 1;
    parts.push(list.slice(at, at + size));
    at += size;
  }
  return parts;
}

/** Inserts many rows with few statements. */
export function insertInto<Row extends object>(
  table: string,
  columns: readonly (keyof Row & string)[],
  otherwise = "",
): (list: readonly Row[]) => Script<void> {
  const insert = insertValues(table, columns, otherwise);
  return (list) => insert(list.map((row) => columns.map((name) => row[name])));
}

/** The same, of rows that are lists of their values. */
export function insertValues(
  table: string,
  columns: readonly string[],
  otherwise = "",
): (list: readonly (readonly unknown[])[]) => Script<void> {
  const signs = `(${columns.map(() => "?").join(", ")})`;
  const texts = new Map<number, string>();
  for (const size of SIZES) {
    const values = Array<string>(size).fill(signs).join(", ");
    texts.set(size, `insert into ${table} (${columns.join(", ")}) values ${values} ${otherwise}`);
  }
  return function* (list) {
    for (const part of inSizes(list)) yield* rows(texts.get(part.length)!, ...part.flat());
  };
}

/** Hashes that one statement handles. */
export const HASHES_PER_STATEMENT = 1_000;

export function* inBatches<T>(list: readonly T[], size: number): Iterable<T[]> {
  for (let i = 0; i < list.length; i += size) yield list.slice(i, i + size);
}
