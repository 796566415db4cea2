import type { Db } from "../sql/sql-engine.ts";

/** An index; with `present`, only of rows that have a value there: the others cost nothing to write. */
export async function createIndex(
  tx: Db,
  table: string,
  name: string,
  columns: readonly string[],
  present?: string,
): Promise<void> {
  const made = tx.schema
    .createIndex(`${table}_by_${name}`)
    .on(table)
    .columns([...columns]);
  await (present === undefined ? made : made.where(present, "is not", null)).execute();
}
