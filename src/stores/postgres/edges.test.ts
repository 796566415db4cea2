import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, test } from "vitest";
import { sharedPostgres } from "../../../test/support/postgres.ts";
import { postgresStore } from "../postgres.ts";
import { connectTo } from "./statement-names.ts";

const WAITING = "select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted";
/** Looks at the server until somebody waits: more than it takes on a busy machine. */
const MOST_LOOKS = 2_000;

test("what is saved while its conversation is deleted doesn't outlast it", async () => {
  const url = await (await sharedPostgres()).database();
  const store = postgresStore({ url });
  await store.conversations.list("t", {});
  const deleting = new pg.Client({ connectionString: url });
  await deleting.connect();
  await deleting.query("begin");
  await deleting.query("select pg_advisory_xact_lock(hashtextextended('precis/remove/t', 0))");
  const answer = { hash: "gone", model: "m", sizes: [1] };
  const saved = store.records("t").save({ answers: [answer as never] });
  for (let look = 0; look < MOST_LOOKS; look++)
    if ((await deleting.query<{ count: number }>(WAITING)).rows[0]!.count > 0) break;
  await deleting.query("insert into precis_tombstones (tenant, hash, at) values ('t', 'gone', 1)");
  await deleting.query("commit");
  await saved;
  expect((await deleting.query("select hash from precis_answers where tenant = 't'")).rows).toEqual([]);
  await deleting.end();
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
