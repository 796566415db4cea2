import { sql } from "kysely";
import { StoreError } from "../../core/errors.ts";
import type { Migration } from "../migrations/index.ts";
import { rows } from "./script.ts";
import type { Db, SqlEngine } from "./sql-engine.ts";
import { runScriptIn } from "./writer.ts";

/** Name of the lock that keeps two nodes from migrating at once. */
const MIGRATION_LOCK = "precis/migrate";
const VERSION_KEY = "schema";
/** Under this and its name stands how far the work on rows of a migration is; empty before it began. */
const PENDING = "migration/";

/** What a migration reports while it works on rows. */
export interface MigrationProgress {
  /** Which step, such as `0006-cryptographic-names`. */
  readonly step: string;
  /** Conversations that are done, and all of them. */
  readonly done: number;
  readonly total: number;
}

export interface MigrateOptions {
  /** Takes what older versions left beside the database into its tables, before work on rows begins. */
  readonly takeOver?: () => Promise<void> | undefined;
  readonly report?: ((progress: MigrationProgress) => void) | undefined;
}

/**
 * Brings the schema up to date, forward only. Safe with any number of nodes starting at once: the steps run in one
 * transaction behind a lock, and a node that had to wait finds nothing left to do. Work on rows follows in batches, each
 * a transaction of its own: nodes that start meanwhile take turns, and one that is killed leaves the rest to the next.
 */
export async function migrate(
  db: Db,
  engine: SqlEngine,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<void> {
  const newest = migrations.length;
  if ((await schemaVersion(db, newest)) !== newest) await applySteps(db, engine, migrations);
  await options.takeOver?.();
  for (const migration of migrations)
    if (migration.batch) await workOnRows(db, engine, migration, migration.batch, options);
}

async function applySteps(db: Db, engine: SqlEngine, migrations: readonly Migration[]): Promise<void> {
  const newest = migrations.length;
  await db.transaction().execute(async (tx) => {
    await lock(tx, engine);
    await tx.schema
      .createTable("precis_meta")
      .ifNotExists()
      .addColumn("key", "text", (c) => c.notNull().primaryKey())
      .addColumn("value", "text", (c) => c.notNull())
      .execute();
    const version = await readVersion(tx, newest);
    if (version === newest) return;
    for (const migration of migrations.slice(version)) {
      await migration.up(tx, engine);
      if (migration.batch) await saveMeta(tx, PENDING + migration.name, "");
    }
    await saveMeta(tx, VERSION_KEY, String(newest));
  });
}

async function workOnRows(
  db: Db,
  engine: SqlEngine,
  { name }: Migration,
  batch: NonNullable<Migration["batch"]>,
  { report }: MigrateOptions,
): Promise<void> {
  if ((await readMeta(db, PENDING + name)) === undefined) return;
  for (;;) {
    const made = await db.transaction().execute(async (tx) => {
      await lock(tx, engine);
      const cursor = await readMeta(tx, PENDING + name);
      // Another node did the last of it.
      if (cursor === undefined) return undefined;
      const one = await batch(tx, engine, cursor === "" ? undefined : cursor);
      if (one.cursor === undefined) await deleteMeta(tx, PENDING + name);
      else await saveMeta(tx, PENDING + name, one.cursor);
      return one;
    });
    if (made) report?.({ step: name, done: made.done, total: made.total });
    if (made?.cursor === undefined) return;
  }
}

async function lock(tx: Db, engine: SqlEngine): Promise<void> {
  if (engine.lockName !== undefined) await runScriptIn(tx, engine, rows(engine.lockName, MIGRATION_LOCK));
}

async function saveMeta(tx: Db, key: string, value: string): Promise<void> {
  await tx
    .insertInto("precis_meta")
    .values({ key, value })
    .onConflict((c) => c.column("key").doUpdateSet({ value: sql`excluded.value` }))
    .execute();
}

async function deleteMeta(tx: Db, key: string): Promise<void> {
  await tx.deleteFrom("precis_meta").where("key", "=", key).execute();
}

async function readMeta(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom("precis_meta").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** The schema's version; 0 for a database that has none yet. Refuses one that is newer than `newest`. */
async function schemaVersion(db: Db, newest: number): Promise<number> {
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
  const version = Number((await readMeta(db, VERSION_KEY)) ?? 0);
  if (version <= newest) return version;
  throw new StoreError({
    operation: "open",
    message: `the database has schema version ${version}, this precis knows versions up to ${newest}.`,
    fix: "Upgrade precis, or use another database; a schema is never taken back.",
  });
}
