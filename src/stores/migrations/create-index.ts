import { rows, type Script } from "../sql/script.ts";

/** An index; with `present`, only of rows that have a value there: the others cost nothing to write. */
export function* createIndex(
  table: string,
  name: string,
  columns: readonly string[],
  present?: string,
): Script<void> {
  const some = present === undefined ? "" : ` where ${present} is not null`;
  yield* rows(`create index ${table}_by_${name} on ${table} (${columns.join(", ")})${some}`);
}
