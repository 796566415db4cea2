import { StoreError } from "../../core/errors.ts";
import type { Migration } from "../migrations/index.ts";
import { rows } from "./script.ts";
import type { Db, SqlEngine } from "./sql-engine.ts";
import { runScriptIn } from "./writer.ts";

/** Name of the lock that keeps two nodes from migrating at once. */
const MIGRATION_LOCK = "precis/migrate";
const VERSION_KEY = "schema";

/**
 * Brings the schema up to date, forward only. Safe with any number of nodes starting at once: the steps run in one
 * transaction behind a lock, and a node that had to wait finds nothing left to do.
 */
export async function migrate(db: Db, engine: SqlEngine, migrations: readonly Migration[]): Promise<void> {
  const newest = migrations.length;
  if ((await schemaVersion(db, newest)) === newest) return;
  await db.transaction().execute(async (tx) => {
    if (engine.lockName !== undefined) await runScriptIn(tx, engine, rows(engine.lockName, MIGRATION_LOCK));
    await tx.schema
      .createTable("precis_meta")
      .ifNotExists()
      .addColumn("key", "text", (c) => c.notNull().primaryKey())
      .addColumn("value", "text", (c) => c.notNull())
      .execute();
    const version = await readVersion(tx, newest);
    if (version === newest) return;
    for (const migration of migrations.slice(version)) await migration.up(tx, engine);
    await tx
      .insertInto("precis_meta")
      .values({ key: VERSION_KEY, value: String(newest) })
      .onConflict((c) => c.column("key").doUpdateSet({ value: String(newest) }))
      .execute();
  });
}

/** The schema's version; 0 for a database that has none yet. Refuses one that is newer than `newest`. */
export async function schemaVersion(db: Db, newest: number): Promise<number> {
  try {
    return await readVersion(db, newest);
  } catch (error) {
    if (isMissingTable(error)) return 0;
    throw error;
  }
}

/** PostgreSQL's code, or SQLite's words. */
function isMissingTable(error: unknown): boolean {
  return (
    error instanceof Error &&
    (("code" in error && error.code === "42P01") || /no such table/.test(error.message))
  );
}

async function readVersion(db: Db, newest: number): Promise<number> {
  const row = await db
    .selectFrom("precis_meta")
    .select("value")
    .where("key", "=", VERSION_KEY)
    .executeTakeFirst();
  const version = Number(row?.value ?? 0);
  if (version <= newest) return version;
  throw new StoreError({
    operation: "open",
    message: `the database has schema version ${version}, this precis knows versions up to ${newest}.`,
    fix: "Upgrade precis, or use another database; a schema is never taken back.",
  });
}
