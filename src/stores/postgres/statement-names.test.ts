import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { sharedPostgres, type TestDatabases } from "../../../test/support/postgres.ts";
import { storedTranscript } from "../../testing/store-contract.ts";
import { postgresStore } from "../postgres.ts";

let server: TestDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

const messages = storedTranscript("a", "b", "c");
const [first, second] = messages;

test("a node goes on working when a newer one adds a column to a table", async () => {
  const url = await server.database();
  const store = postgresStore({ url });
  const { conversations } = store;
  const all = (n: number) =>
    Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const id = `${n}-${at}`;
        // By session: a transaction of several statements. By hash and by id: reads.
        const made = await conversations.append("t", { session: id, messages: [first!], at });
        await conversations.append("t", { session: id, after: first!.hash, messages: [second!], at });
        expect(await conversations.get("t", made.conversation)).toMatchObject({ length: 2 });
        expect(
          await conversations.find(
            "t",
            messages.map(({ hash }) => hash),
          ),
        ).toMatchObject({ matched: 2 });
        await conversations.update("t", made.conversation, { title: id });
      }),
    );
  await all(0);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  for (const n of [1, 2]) {
    await other.query(`alter table precis_conversations add column newer_${n} text`);
    await all(n);
  }
  await other.end();
  await store.close();
});

test("two stores may share a pool", async () => {
  const pool = new pg.Pool({ connectionString: await server.database(), max: 1 });
  pool.on("error", () => {});
  const [one, other] = [postgresStore({ pool }), postgresStore({ pool })];
  await one.conversations.append("t", { session: "s", messages: [first!], at: 1 });
  expect(await other.conversations.findSession("t", "s")).toMatchObject({ length: 1 });
  expect(await one.conversations.findSession("t", "s")).toMatchObject({ length: 1 });
  await other.conversations.append("t", { session: "s", messages: messages.slice(0, 2), at: 1 });
  expect(await one.conversations.findSession("t", "s")).toMatchObject({ length: 2 });
  await Promise.all([one.close(), other.close()]);
  await pool.end();
});
