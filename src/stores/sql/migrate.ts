import { StoreError } from "../../core/errors.ts";
import type { Migration, MigrationBatch } from "../migrations/index.ts";
import { firstRow, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { retrying } from "./writer.ts";

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
 * a transaction of its own: nodes that start meanwhile take turns, and one that is killed leaves the rest to the next. Where nodes of
 * the version before write at the same time, a transaction that met one of theirs is run again.
 */
export async function migrate(
  engine: SqlEngine,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<void> {
  await engine.open();
  const newest = migrations.length;
  if ((await schemaVersion(engine, newest)) !== newest)
    await retrying(engine)(() => applySteps(engine, migrations));
  await options.takeOver?.();
  for (const migration of migrations)
    if (migration.batch) await workOnRows(engine, migration, migration.batch, options);
}

function* applySteps(engine: SqlEngine, migrations: readonly Migration[]): Script<void> {
  const newest = migrations.length;
  yield* lock(engine);
  yield* rows("create table if not exists precis_meta (key text not null primary key, value text not null)");
  const version = yield* readVersion(newest);
  if (version === newest) return;
  if (version > 0) yield* lockConversations(engine);
  for (const migration of migrations.slice(version)) {
    yield* migration.up(engine);
    if (migration.batch) yield* saveMeta(PENDING + migration.name, "");
  }
  yield* saveMeta(VERSION_KEY, String(newest));
}

async function workOnRows(
  engine: SqlEngine,
  { name }: Migration,
  batch: NonNullable<Migration["batch"]>,
  { report }: MigrateOptions,
): Promise<void> {
  if ((await engine.read(readMeta(PENDING + name))) === undefined) return;
  for (;;) {
    const made = await retrying(engine)(() => workOnSome(engine, PENDING + name, batch));
    if (made) report?.({ step: name, done: made.done, total: made.total });
    if (made?.cursor === undefined) return;
  }
}

function* workOnSome(
  engine: SqlEngine,
  pending: string,
  batch: NonNullable<Migration["batch"]>,
): Script<MigrationBatch | undefined> {
  yield* lock(engine);
  const cursor = yield* readMeta(pending);
  // Another node did the last of it.
  if (cursor === undefined) return undefined;
  const made = yield* batch(engine, cursor === "" ? undefined : cursor);
  if (made.cursor === undefined) yield* rows("delete from precis_meta where key = ?", pending);
  else yield* saveMeta(pending, made.cursor);
  return made;
}

function* lock({ lockName }: SqlEngine): Script<void> {
  if (lockName !== undefined) yield* rows(lockName, MIGRATION_LOCK);
}

/**
 * Waits until nobody writes to a conversation. Nodes of the version before, which may still run, take its row before they come to its
 * messages and to the index: a step that began with one of those tables would wait for a node that waits for the step.
 */
function* lockConversations({ kind }: SqlEngine): Script<void> {
  if (kind === "postgres") yield* rows("lock table precis_conversations in access exclusive mode");
}

function* saveMeta(key: string, value: string): Script<void> {
  yield* rows(
    "insert into precis_meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
    key,
    value,
  );
}

function* readMeta(key: string): Script<string | undefined> {
  return (yield* firstRow<{ readonly value: string }>("select value from precis_meta where key = ?", key))
    ?.value;
}

/** The schema's version; 0 for a database that has none yet. Refuses one that is newer than `newest`. */
async function schemaVersion(engine: SqlEngine, newest: number): Promise<number> {
  try {
    return await engine.read(readVersion(newest));
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

function* readVersion(newest: number): Script<number> {
  const version = Number((yield* readMeta(VERSION_KEY)) ?? 0);
  if (version <= newest) return version;
  throw new StoreError({
    operation: "open",
    message: `the database has schema version ${version}, this precis knows versions up to ${newest}.`,
    fix: "Upgrade precis, or use another database; a schema is never taken back.",
  });
}
