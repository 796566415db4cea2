import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, test } from "vitest";
import { sharedPostgres } from "../../../test/support/postgres.ts";
import { storedTranscript } from "../../testing/store-contract.ts";
import { postgresStore } from "../postgres.ts";
import type { ServerStore } from "../server-store.ts";
import { SCHEMA_VERSION } from "../sql/schema.ts";
import { connectTo } from "./session.ts";

/** Looks at the server until somebody waits: more than it takes on a busy machine. */
const MOST_LOOKS = 2_000;

async function untilSomebodyWaits(client: pg.Client): Promise<void> {
  const waiting =
    "select count(*)::int as count from pg_locks where locktype = 'transactionid' and not granted";
  for (let look = 0; look < MOST_LOOKS; look++)
    if ((await client.query<{ count: number }>(waiting)).rows[0]!.count > 0) return;
}

async function linesOf({ upkeep }: Pick<ServerStore, "upkeep">): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of upkeep.exportAll()) lines.push(line);
  return lines;
}

test("what is saved while its conversation is deleted doesn't outlast it", async () => {
  const url = await (await sharedPostgres()).database();
  const store = postgresStore({ url });
  await store.conversations.append("t", { messages: storedTranscript("gone"), at: 1 });
  const { hash } = storedTranscript("gone")[0]!;
  const deleting = new pg.Client({ connectionString: url });
  await deleting.connect();
  await deleting.query("begin");
  await deleting.query("delete from precis_nodes");
  await deleting.query("delete from precis_conversations");
  const answer = { hash, model: "m", sizes: [1] };
  const saved = store.records("t").save({ answers: [answer as never] });
  await untilSomebodyWaits(deleting);
  await deleting.query("commit");
  await saved;
  expect((await deleting.query("select hash from precis_records where tenant = 't'")).rows).toEqual([]);
  await deleting.end();
  await store.close();
});

test("a search finds what another node is putting into the index at that moment", async () => {
  const url = await (await sharedPostgres()).database();
  const store = postgresStore({ url });
  await store.conversations.append("t", { messages: storedTranscript("apples", "bread"), at: 1 });
  const indexing = new pg.Client({ connectionString: url });
  await indexing.connect();
  await indexing.query("begin");
  await indexing.query("select id from precis_conversations for update");
  const found = store.recallIndex("t").candidates({ terms: ["bread"], limit: 10 });
  await Promise.race([found, untilSomebodyWaits(indexing)]);
  await indexing.query("commit");
  const { statistics } = await found;
  expect(statistics.messages).toEqual({ user: 1, assistant: 1, data: 0 });
  await indexing.end();
  await store.close();
});

test("a table of the host with capital letters doesn't stop vacuum", async () => {
  const url = await (await sharedPostgres()).database();
  const store = postgresStore({ url });
  await store.conversations.list("t", {});
  const host = new pg.Client({ connectionString: url });
  await host.connect();
  await host.query('create table "precis_Archive" (n int)');
  await host.end();
  await store.upkeep.vacuum();
  await store.close();
});

test("a connection of a host's pool that breaks in the middle of a call doesn't end the process", async () => {
  const client = Object.assign(new EventEmitter(), { release() {} });
  await connectTo({ connect: async () => client, end: async () => {} });
  expect(() => client.emit("error", new Error("terminated"))).not.toThrow();
});

test("an export after a newer node has added a column isn't refused for the plan of an older one", async () => {
  const url = await (await sharedPostgres()).database();
  // With one connection, the second export meets what the first one has prepared.
  const store = postgresStore({ url, maxConnections: 1 });
  await store.conversations.append("t", { messages: storedTranscript("a", "b"), at: 1 });
  const before = await linesOf(store);
  const newer = new pg.Client({ connectionString: url });
  await newer.connect();
  for (const table of ["precis_conversations", "precis_nodes", "precis_client_keys"])
    await newer.query(`alter table ${table} add column mood text`);
  await newer.end();
  const after = await linesOf(store);
  expect(after.slice(1)).toEqual(before.slice(1));
  await store.close();
});

test("imports of the same file at the same time add each conversation once", async () => {
  const from = postgresStore({ url: await (await sharedPostgres()).database() });
  for (let n = 0; n < 20; n++) {
    const messages = storedTranscript(`a ${n}`, "b");
    await from.conversations.append("t", { messages, at: 1 });
  }
  const lines = await linesOf(from);
  await from.close();
  const url = await (await sharedPostgres()).database();
  const nodes = Array.from({ length: 4 }, () => postgresStore({ url }));
  await nodes[0]!.ready();
  const imported = await Promise.all(nodes.map((node) => node.upkeep.importAll(lines)));
  expect(imported.map(({ lines }) => lines)).toEqual(nodes.map(() => lines.length));
  expect((await nodes[0]!.upkeep.stats()).counts).toMatchObject({
    conversations: 20,
    messages: 40,
  });
  await Promise.all(nodes.map((node) => node.close()));
});

test("a database of another schema version is refused with what to do, and left as it is", async () => {
  const pool = new pg.Pool({ connectionString: await (await sharedPostgres()).database() });
  const made = postgresStore({ pool });
  await made.conversations.append("t", { messages: storedTranscript("a", "b"), at: 1 });
  const before = await linesOf(made);
  for (const version of ["1", String(SCHEMA_VERSION + 1), "next"]) {
    await pool.query("update precis_meta set value = $1 where key = 'schema'", [version]);
    const refused = postgresStore({ pool });
    await expect(refused.ready()).rejects.toThrow(
      `schema version ${version}, this precis knows version ${SCHEMA_VERSION} alone. Use the precis that made it, or another database`,
    );
    await expect(refused.find(["a"])).rejects.toThrow(/schema version/);
    await refused.close();
    expect((await pool.query("select value from precis_meta")).rows).toEqual([{ value: version }]);
  }
  expect((await linesOf(made)).slice(1)).toEqual(before.slice(1));
  await made.close();
  await pool.end();
});
