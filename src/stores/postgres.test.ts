import { type AddressInfo, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { sharedPostgres, type TestDatabases } from "../../test/support/postgres.ts";
import { byProof } from "../../test/support/proof.ts";
import { describeStore } from "../testing/store-contract.ts";
import { type PostgresStoreOptions, postgresStore } from "./postgres.ts";

let server: TestDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

describeStore({
  name: "PostgreSQL",
  open: async (effects) => postgresStore({ url: await server.database(), ...effects }),
  ownClock: false,
  runs: byProof({ sample: 10, more: 50, all: 300 }),
});

test("a server that can't be reached is named, its password isn't", async () => {
  const store = postgresStore({ url: "postgres://me:secret@127.0.0.1:1/db" });
  const error: unknown = await store.ready().catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:1\/db can't be reached/);
  expect(String(error)).not.toContain("secret");
  await store.close();
});

describe("a server that can't be reached is named, however it was told where it is", () => {
  afterEach(() => vi.unstubAllEnvs());
  const pool = (options: pg.PoolConfig) => ({ pool: new pg.Pool(options) });
  const SOCKET = "/nowhere/precis";

  test.each<[how: string, options: () => PostgresStoreOptions, place: string]>([
    [
      "by the environment",
      () => {
        vi.stubEnv("PGHOST", "127.0.0.1");
        vi.stubEnv("PGPORT", "1");
        return pool({ database: "db", password: "secret" });
      },
      "127.0.0.1:1/db",
    ],
    ["by options of a pool", () => pool({ host: "127.0.0.1", port: 1, database: "db" }), "127.0.0.1:1/db"],
    [
      "by a pool of another copy of pg",
      () => {
        const own = new pg.Pool({ host: "127.0.0.1", port: 1, database: "db" });
        return { pool: { options: own.options, connect: () => own.connect(), end: () => own.end() } };
      },
      "127.0.0.1:1/db",
    ],
    ["by an address of IPv6", () => pool({ host: "::1", port: 1, database: "db" }), "[::1]:1/db"],
    ["by the query", () => ({ url: "postgres://me:secret@/db?host=127.0.0.1&port=1" }), "127.0.0.1:1/db"],
    ["by a folder", () => pool({ host: SOCKET, port: 1, database: "db" }), `${SOCKET}/.s.PGSQL.1/db`],
    [
      "by a folder in the query",
      () => pool({ connectionString: `postgres://me:secret@/db?host=${SOCKET}&port=1` }),
      `${SOCKET}/.s.PGSQL.1/db`,
    ],
    [
      "by a folder as the host",
      () => ({ url: `postgres://me:secret@${encodeURIComponent(SOCKET)}:1/db` }),
      `${SOCKET}/.s.PGSQL.1/db`,
    ],
    [
      "by a folder alone",
      () => {
        vi.stubEnv("PGPORT", "1");
        return pool({ connectionString: `${SOCKET} db` });
      },
      `${SOCKET}/.s.PGSQL.1/db`,
    ],
  ])("%s", async (_how, options, place) => {
    const store = postgresStore(options());
    const error: unknown = await store.ready().catch((reason: unknown) => reason);
    expect(String(error)).toContain(`PostgreSQL at ${place} can't be reached (E`);
    expect(String(error)).not.toMatch(/secret|See the cause/);
    await store.close();
  });
});

test("a URL that can't be read is called that, without its password", async () => {
  const store = postgresStore({ url: "postgres://me:sec#ret@127.0.0.1:1/db" });
  const error: unknown = await store.ready().catch((reason: unknown) => reason);
  expect(String(error)).toContain("the URL of PostgreSQL can't be read. Write it as postgres://");
  expect(String(error)).not.toMatch(/sec#|ret@/);
  await store.close();
});

/** A server that takes connections and never says a word. */
async function silentServer(): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  return {
    url: `postgres://me:secret@127.0.0.1:${port}/db`,
    close() {
      for (const socket of sockets) socket.destroy();
      silent.close();
    },
  };
}

test("a server that takes the connection and doesn't answer in time is called that, and named", async () => {
  const silent = await silentServer();
  const pool = new pg.Pool({ connectionString: silent.url, connectionTimeoutMillis: 50, max: 1 });
  const store = postgresStore({ pool });
  const error: unknown = await store.ready().catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+\/db couldn't be connected to in time/);
  expect(String(error)).not.toMatch(/broke|secret/);
  await store.close();
  await pool.end();
  silent.close();
});

test("a pool whose connections are all taken is called that", async () => {
  const pool = new pg.Pool({ connectionString: await server.database(), max: 1 }).on("error", () => {});
  const taken = await pool.connect();
  // From now on: the connection itself may take its time.
  pool.options.connectionTimeoutMillis = 1;
  const store = postgresStore({ pool });
  const error: unknown = await store.ready().catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/no connection to PostgreSQL at \S+ became free in time.*maxConnections/);
  taken.release();
  await store.close();
  await pool.end();
});

test("a server that cuts every connection is connected to again", async () => {
  const url = await server.database();
  const store = postgresStore({ url });
  const add = (title: string) => store.conversations.append("t", { title, messages: [], at: 1 });
  await Promise.all(["1", "2", "3"].map(add));
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await other.end();
  // Calls that meet a connection which is just breaking fail with a word about it; nothing else happens to them.
  for (let tried = 0; ; tried++) {
    const added = await add("4").catch((error: unknown) => {
      expect(String(error)).toMatch(/StoreError.*(broke|stopping|reached)/);
      expect(tried).toBeLessThan(5);
      return undefined;
    });
    if (added !== undefined) break;
  }
  const { conversations } = await store.conversations.list("t");
  expect(conversations.map(({ title }) => title).sort()).toEqual(["1", "2", "3", "4"]);
  await store.close();
});

test("a pool of the host's own stays open, whatever it does with large numbers", async () => {
  const pool = new pg.Pool({ connectionString: await server.database() }).on("error", () => {});
  const store = postgresStore({ pool });
  await store.conversations.append("t", { messages: [], at: 1_700_000_000_000 });
  const { conversations } = await store.conversations.list("t");
  expect(conversations).toMatchObject([{ length: 0, updatedAt: 1_700_000_000_000 }]);
  await store.close();
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test("a wrong password is called that", async () => {
  const url = (await server.database()).replace("precis:precis", "precis:wrong");
  const store = postgresStore({ url });
  await expect(store.ready()).rejects.toThrow(/refused the user or password\. Check both in the URL\./);
  await store.close();
  const pool = new pg.Pool({ connectionString: url }).on("error", () => {});
  const shared = postgresStore({ pool });
  await expect(shared.ready()).rejects.toThrow(/Check both in the options of the pool\./);
  await shared.close();
  await pool.end();
});

test("deleting a conversation never looks through all others of a tenant", async () => {
  const url = await server.database();
  const writer = postgresStore({ url });
  const long = (text: string) => JSON.stringify(text.repeat(5_000));
  const messages = ["a", "b", "c", "d"].map((text) => ({
    hash: text,
    role: "user" as const,
    wire: long(text),
    at: 1,
  }));
  const { conversation } = await writer.conversations.append("t", { messages, head: "be brief", at: 1 });
  // Who appends also puts words into the index when idle, and would read the others for that.
  await writer.close();
  const others = 20_000;
  const direct = new pg.Client({ connectionString: url }).on("error", () => {});
  await direct.connect();
  const columns = (
    await direct.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = 'precis_conversations' and column_name not in ('key', 'id', 'leaf')`,
    )
  ).rows
    .map(({ name }) => name)
    .join(", ");
  await direct.query(`insert into precis_conversations (key, id, leaf, ${columns})
    select key + n, 'other' || n, leaf + n * 1048576, ${columns}
    from precis_conversations, generate_series(1, ${others}::bigint) n`);
  await direct.query(`insert into precis_nodes (id, depth, hash, role, total, at, rewritten, wire)
    select id + n * 1048576, 1, 'other' || n, 'user', 0, 1, 0, 'short' from precis_nodes, generate_series(1, ${others}::bigint) n
    where parent is null`);
  await direct.query("analyze");
  const rowsRead = async () => {
    // Counted of a connection when it ends.
    const { rows } = await direct.query<{ count: string }>(
      "select sum(seq_tup_read) as count from pg_stat_user_tables where relname in ('precis_conversations', 'precis_nodes')",
    );
    return Number(rows[0]?.count);
  };
  await direct.query("select pg_stat_force_next_flush()");
  const before = await rowsRead();
  const store = postgresStore({ url });
  expect(await store.conversations.delete("t", conversation)).toBe(true);
  await store.close();
  expect((await rowsRead()) - before).toBeLessThan(others);
  await direct.end();
});
