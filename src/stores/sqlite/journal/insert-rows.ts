import type { Script } from "../../sql/script.ts";

/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 32;

/** The statements that insert rows into a table: many with one, or one. */
export interface Insert {
  readonly many: string;
  readonly one: string;
}

/** `table` with its columns, and the signs for a row's values. */
export function insertInto(table: string, row: string): Insert {
  const rows = Array<string>(ROWS_AT_ONCE).fill(row).join(", ");
  return {
    // `or fail` doesn't take back what the statement did before an error, so SQLite needn't keep it. The transaction does.
    many: `insert or fail into ${table} values ${rows}`,
    one: `insert into ${table} values ${row}`,
  };
}

/** Within one statement SQLite looks for the place of a row from where the one before it is: that takes a sixth less. */
export function* insertRows({ many, one }: Insert, values: readonly (readonly unknown[])[]): Script<void> {
  let at = 0;
  for (; at + ROWS_AT_ONCE <= values.length; at += ROWS_AT_ONCE)
    yield { sql: many, parameters: values.slice(at, at + ROWS_AT_ONCE).flat() };
  for (; at < values.length; at++) yield { sql: one, parameters: values[at]! };
}
