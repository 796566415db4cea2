import pg from "pg";
import { defined } from "../core/collections.ts";
import { ConfigError } from "../core/errors.ts";
import {
  BEGIN_SNAPSHOT,
  connectTo,
  explainPostgres,
  isConflict,
  type PostgresPool,
  readAndRelease,
  runAndRelease,
  statementNames,
  statementRunner,
} from "./postgres/session.ts";
import type { ServerStore } from "./server-store.ts";
import { createSqlStore, type ServerStoreOptions } from "./sql/create-sql-store.ts";
import type { TextIndex } from "./sql/recall/index-messages.ts";
import { firstRow, runSoon, type Script } from "./sql/script.ts";
import type { SqlEngine } from "./sql/sql-engine.ts";

/** What `postgresStore` takes: where the database is, or a pool of the host's own. */
export interface PostgresStoreOptions extends ServerStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url?: string;
  /** A pool of `pg`. It stays open when the store is closed. */
  readonly pool?: PostgresPool;
  /** Connections that this node holds at most. Default 10. */
  readonly maxConnections?: number;
  /** Prepare statements. Default true; false behind a pooler that gives each transaction another connection. */
  readonly prepare?: boolean;
}

const DEFAULT_MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A server that hangs answers no query; one that works needs far less for any of them. Only `vacuum` takes as long as it takes. */
const QUERY_TIMEOUT_MS = 30_000;
/** A connection that isn't used for so long is closed: a new one has to plan every statement anew. */
const IDLE_MS = 60_000;

/**
 * Everything in a PostgreSQL database, for any number of nodes.
 *
 * @example
 * ```ts
 * import { postgresStore } from "@precis/gateway/stores";
 *
 * const store = postgresStore({ url: "postgres://precis@db.internal/precis" });
 * console.log(store.kind);
 * ```
 */
export function postgresStore({
  url,
  pool: given,
  maxConnections = DEFAULT_MAX_CONNECTIONS,
  prepare = true,
  ...options
}: PostgresStoreOptions): ServerStore {
  if ((url === undefined) === (given === undefined)) {
    throw new ConfigError({
      option: "url",
      message: "a PostgreSQL store needs either a URL or a pool.",
      fix: "Give one of them.",
    });
  }
  const pool = given ?? createPool(url ?? "", maxConnections);
  return createSqlStore(
    postgresEngine(pool, {
      where: placeOf(given === undefined ? { connectionString: url } : optionsOf(given)),
      source: given === undefined ? "the URL" : "the options of the pool",
      ownsPool: given === undefined,
      isPrepared: prepare,
    }),
    options,
  );
}

function createPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    application_name: "precis",
    // An idle pool must not keep a process alive that has nothing else to do.
    allowExitOnIdle: true,
  });
  // A connection that breaks is replaced at the next query; without listeners it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** What says where a server is. */
type PlaceOptions = Pick<pg.PoolConfig, "connectionString" | "host" | "port" | "database" | "user">;

/** Options of a host's own pool, which may come from another copy of `pg`. */
function optionsOf(pool: PostgresPool & { readonly options?: PlaceOptions }): PlaceOptions | undefined {
  return pool.options;
}

/**
 * Server and database for error texts, without the password. `pg` is asked, because it knows more places to look in than a URL:
 * `PGHOST` and the like, sockets in a folder, a host in the query.
 */
function placeOf(options: PlaceOptions | undefined): string {
  if (!options) return "PostgreSQL";
  const { connectionString, host, port, database, user } = options;
  try {
    const client = new pg.Client(defined({ connectionString, host, port, database, user }));
    const name = client.database ?? client.user;
    const inDatabase = name ? `/${name}` : "";
    if (client.host.startsWith("/"))
      return `PostgreSQL at ${client.host}/.s.PGSQL.${client.port}${inDatabase}`;
    const server = client.host.includes(":") ? `[${client.host}]` : client.host;
    return `PostgreSQL at ${server}:${client.port}${inDatabase}`;
  } catch {
    // A URL that can't be read: connecting says so.
    return "PostgreSQL";
  }
}

/** PostgreSQL's ways. */
function postgresEngine(
  pool: PostgresPool,
  options: {
    /** Server and database, for error texts. */
    readonly where: string;
    /** What user, password and database are given in. */
    readonly source?: string;
    readonly ownsPool: boolean;
    readonly isPrepared?: boolean;
  },
): SqlEngine {
  const { where, source = "the URL", ownsPool, isPrepared = true } = options;
  const names = isPrepared ? statementNames() : undefined;
  return {
    kind: "postgres",
    // A pool connects when it is asked.
    open: async () => {},
    read: async (script) => readAndRelease(await connectTo(pool), names, script),
    transact: async (script) => runAndRelease(await connectTo(pool), names, script),
    lockRows: true,
    textIndex: postgresTextIndex,
    appended: earlyStatistics(pool),
    *newKey() {
      const row = yield* firstRow<{ readonly key: number }>(
        "select nextval('precis_conversation_keys') as key",
      );
      return row!.key;
    },
    clock: "floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
    // The inner `select` hides from the planner how many values there are: it would plan anew for each number of them.
    rowsOf: {
      from: (table, column) =>
        `${table} where ${table}.${column} = any((select ?::text[])::text[]) and ${table}.tenant = ?`,
      value: (values) => values,
    },
    among: {
      from: "unnest(?::text[]) with ordinality as wanted (value, place)",
      value: "wanted.value",
      place: "wanted.place",
    },
    isOneOf: (column) => `${column} = any((select ?::text[])::text[])`,
    lockName: "select pg_advisory_xact_lock(hashtextextended(?, 0))",
    isConflict,
    explain: (error) => explainPostgres(error, { where, source }),
    async *snapshot(work) {
      const client = await connectTo(pool);
      try {
        await client.query({ text: BEGIN_SNAPSHOT });
        // Unprepared: a plan that is outdated would end the transaction, and what was read can't be read again at that moment.
        yield* work((script) => runSoon(script, statementRunner(client, undefined)));
      } finally {
        // A connection that can't even do that is of no use to anybody.
        await client.query({ text: "rollback" }).then(() => client.release(), client.release);
      }
    },
    async bytes() {
      const client = await connectTo(pool);
      return readAndRelease(client, names, bytesOfTables());
    },
    async vacuum() {
      const client = await connectTo(pool);
      try {
        const { rows: tables } = await client.query<{ name: string }>({ text: TABLES });
        for (const { name } of tables)
          await client.query({ text: `vacuum (analyze) ${name}`, query_timeout: NO_TIMEOUT_MS });
      } finally {
        client.release();
      }
    },
    async close() {
      // A host's own pool stays open.
      if (ownsPool) await pool.end();
    },
  };
}

/** The longest that a timer takes (milliseconds): about 25 days. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const OWN_TABLES =
  "from pg_class c where c.relkind = 'r' and c.relname like 'precis\\_%' and pg_table_is_visible(c.oid)";
const TABLES = `select quote_ident(c.relname) as name ${OWN_TABLES}`;

function* bytesOfTables(): Script<number> {
  const row = yield* firstRow<{ readonly bytes: number | null }>(
    `select sum(pg_total_relation_size(c.oid)) as bytes ${OWN_TABLES}`,
  );
  return row?.bytes ?? 0;
}

/**
 * A plan that a connection made while a table was empty or small reads all of its rows for each one that it wants, and PostgreSQL keeps it
 * until somebody analyses the table. Autovacuum does so within a minute or so; until then a server that is busy from its first
 * moment on is slowed down by every row that it adds. So while a database is young, its tables are analysed whenever they have doubled.
 */
const FIRST_LOOK_APPENDS = 64;
/** From here on every plan knows that the tables are large, and autovacuum is soon enough. */
const LAST_LOOK_APPENDS = 4_096;

/** Tables that have grown by half since their last statistics. */
const STALE_TABLES = `select quote_ident(c.relname) as name ${OWN_TABLES}
  and pg_relation_size(c.oid) > 1.5 * c.relpages * current_setting('block_size')::int`;

/** Never fails: a user who may not analyse the tables leaves it to autovacuum. */
function earlyStatistics(pool: PostgresPool): (appended: number) => void {
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
    const { rows } = await client.query<{ name: string }>({ text: STALE_TABLES });
    for (const { name } of rows) await client.query({ text: `analyze (skip_locked) ${name}` });
  } finally {
    client.release();
  }
}

/** A list of tokens for each document, and an inverted index (GIN) of these. */
const postgresTextIndex: TextIndex = {
  add: (document, tokens) => ({
    sql: "insert into precis_recall (doc, tokens) values (?, ?) on conflict (doc) do update set tokens = precis_recall.tokens || excluded.tokens",
    parameters: [document, [...tokens]],
  }),
  remove: (document) => ({ sql: "delete from precis_recall where doc = ?", parameters: [document] }),
  find: (tokens, [from, to], limit, condition = () => "true") => ({
    sql: `select doc from precis_recall where tokens && ?::text[] and doc between ? and ? and ${condition("doc")}
      order by doc desc limit ?`,
    parameters: [[...tokens], from, to, limit],
  }),
};
