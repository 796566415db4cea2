import { StoreError } from "../../core/errors.ts";
import { createTables, SCHEMA_VERSION } from "./schema.ts";
import { firstRow, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Name of the lock that keeps two nodes from making the tables at once. */
const SCHEMA_LOCK = "precis/schema";
const VERSION_KEY = "schema";

/**
 * Opens a database, and makes its tables if there are none. Any number of nodes may start at once: one makes them, in one
 * transaction, and the others wait for it. A database of another version is refused and left as it is.
 */
export async function openSchema(engine: SqlEngine): Promise<void> {
  await engine.open();
  const version = await engine.read(readVersion()).catch((error: unknown) => {
    if (isMissingTable(error)) return engine.transact(makeTables(engine));
    throw error;
  });
  if (version === String(SCHEMA_VERSION)) return;
  throw new StoreError({
    operation: "open",
    message: `the database has schema version ${version ?? "unknown"}, this precis knows version ${SCHEMA_VERSION} alone.`,
    fix: "Use the precis that made it, or another database. This one was left as it is.",
  });
}

/** Says which version they have: another node may have made them meanwhile. */
function* makeTables(engine: SqlEngine): Script<string | undefined> {
  if (engine.lockName !== undefined) yield* rows(engine.lockName, SCHEMA_LOCK);
  yield* rows("create table if not exists precis_meta (key text not null primary key, value text not null)");
  const made = yield* readVersion();
  if (made !== undefined) return made;
  yield* createTables(engine);
  yield* rows("insert into precis_meta (key, value) values (?, ?)", VERSION_KEY, String(SCHEMA_VERSION));
  return yield* readVersion();
}

function* readVersion(): Script<string | undefined> {
  const row = yield* firstRow<{ readonly value: string }>(
    "select value from precis_meta where key = ?",
    VERSION_KEY,
  );
  return row?.value;
}

/** PostgreSQL's code, or SQLite's words. */
function isMissingTable(error: unknown): boolean {
  return (
    error instanceof Error &&
    (("code" in error && error.code === "42P01") || /no such table/.test(error.message))
  );
}
