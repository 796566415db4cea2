import { connectTo, type PostgresPool } from "./statement-names.ts";

/**
 * A plan that a connection made while a table was empty or small reads all rows of a tenant for each one that it wants,
 * and PostgreSQL keeps it (its own plans for foreign keys, too) until somebody analyses the table. Autovacuum does so
 * within a minute or so; until then a server that is busy from its first moment on is slowed down by every row that it
 * adds. So while a database is young, its tables are analysed whenever they have doubled.
 */
const FIRST_LOOK_APPENDS = 64;
/** From here on every plan knows that the tables are large, and autovacuum is soon enough. */
const LAST_LOOK_APPENDS = 4_096;

/** Tables that have grown by half since their last statistics. */
const STALE_TABLES = `
select c.relname as name from pg_class c
where c.relkind = 'r' and c.relname = any($1::text[]) and pg_table_is_visible(c.oid)
  and pg_relation_size(c.oid) > 1.5 * c.relpages * current_setting('block_size')::int`;
const TABLES = ["precis_conversations", "precis_messages", "precis_bodies", "precis_tombstones"] as const;

/** Is told how many appends were written. Never fails: a user who may not analyse the tables leaves it to autovacuum. */
export function earlyStatistics(pool: PostgresPool): (appended: number) => void {
  let appends = 0;
  let next = FIRST_LOOK_APPENDS;
  return (appended) => {
    appends += appended;
    if (appends < next || next > LAST_LOOK_APPENDS) return;
    next = 2 * appends;
    analyzeStale(pool).catch(() => {});
  };
}

async function analyzeStale(pool: PostgresPool): Promise<void> {
  const client = await connectTo(pool);
  try {
    const { rows } = await client.query<{ name: string }>({ text: STALE_TABLES, values: [TABLES] });
    for (const { name } of rows) await client.query({ text: `analyze (skip_locked) ${name}` });
  } finally {
    client.release();
  }
}
