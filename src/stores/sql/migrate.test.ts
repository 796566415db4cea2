import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres, type TestDatabases } from "../../../test/support/postgres.ts";
import { storedTranscript, textsOf } from "../../testing/store-contract.ts";
import { type Migration, migrations } from "../migrations/index.ts";
import { postgresEngine } from "../postgres.ts";
import { sqliteEngine } from "../sqlite.ts";
import { createSqlStore } from "./create-sql-store.ts";
import { migrate } from "./migrate.ts";
import { bodyHash } from "./place-text.ts";
import { putRow } from "./put-row.ts";
import type { TextIndex } from "./recall/index-messages.ts";
import { rows } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-migrate-"));
let postgres: TestDatabases;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** A step that a later version might have. */
const next: Migration = {
  name: "9999-next",
  *up() {
    yield* rows("alter table precis_conversations add column mood text");
  },
};
const broken: Migration = {
  name: "9999-broken",
  *up() {
    yield* rows("create table precis_half (a text)");
    throw new Error("the step broke");
  },
};

/** A row of a conversation, as the first version wrote it. */
const FIRST_ROW = {
  tenant: "t",
  created_at: 1,
  updated_at: 1,
  pinned: 0,
  archived: 0,
  length: 0,
  tokens: 0,
  title: "",
  title_search: "",
};

/** Puts a conversation with its messages as the second version wrote them: each text a body. */
async function putSecond(
  engine: SqlEngine,
  conversation: { readonly id: string; readonly [column: string]: string | number },
  messages: ReturnType<typeof storedTranscript>,
  more: (position: number) => { readonly answer?: string | null } = () => ({}),
): Promise<void> {
  const row = { ...FIRST_ROW, length: messages.length, named: 0, ...conversation };
  await engine.transact(putRow("precis_conversations", row));
  for (const [position, { hash, role, wire }] of messages.entries()) {
    const body = bodyHash(wire);
    await engine.transact(putRow("precis_bodies", { tenant: "t", hash: body, wire }, "stays"));
    const place = { tenant: "t", conversation: conversation.id, position };
    await engine.transact(
      putRow("precis_messages", { ...place, hash, body, role, at: 1, ...more(position) }),
    );
  }
}

describe.each([
  [
    "SQLite",
    async (): Promise<() => SqlEngine> => {
      const path = join(dir, `${crypto.randomUUID()}.db`);
      return () => sqliteEngine(path);
    },
  ],
  [
    "PostgreSQL",
    async (): Promise<() => SqlEngine> => {
      const connectionString = await postgres.database();
      return () => {
        // The server stops before the last connection has said goodbye.
        const pool = new pg.Pool({ connectionString }).on("error", () => {});
        return postgresEngine(pool, { where: "PostgreSQL", ownsPool: true });
      };
    },
  ],
])("%s", (_name, place) => {
  test("a database of an older version is migrated, with everything in it", async () => {
    const engine = await place();
    const old = createSqlStore(engine(), {}, migrations);
    const messages = storedTranscript("a", "b");
    const { conversation } = await old.conversations.append("t", { messages, at: 1 });
    await old.close();
    const newer = createSqlStore(engine(), {}, [...migrations, next]);
    expect(await newer.conversations.read("t", conversation)).toHaveLength(2);
    await newer.close();
  });

  test("conversations of the first version are there, and can be asked for by name from now on", async () => {
    const engine = await place();
    const old = engine();
    await migrate(old, migrations.slice(0, 1));
    // As the first version wrote it: without the column that came later.
    const row = { ...FIRST_ROW, id: "c", session: "s", title: "Old", title_search: "old" };
    await old.transact(putRow("precis_conversations", row));
    await old.close();

    const store = createSqlStore(engine(), {}, migrations);
    expect(await store.conversations.get("t", "c")).toMatchObject({ title: "Old", named: false });
    const messages = storedTranscript("a", "b");
    await store.conversations.append("t", { session: "s", named: true, messages, at: 2 });
    expect(await store.conversations.get("t", "c")).toMatchObject({ length: 2, named: true });
    await store.close();
  });

  test("the answers that the first versions knew are found where they were", async () => {
    const engine = await place();
    const old = engine();
    await migrate(old, migrations.slice(0, 2));
    const messages = storedTranscript("a", "b", "c", "d");
    for (const [id, dialect, named] of [
      ["responses", "openai-responses", 0],
      ["named", "openai-responses", 1],
      ["chat", "openai-chat", 0],
    ] as const)
      await putSecond(old, { id, session: `session of ${id}`, dialect, named }, messages.slice(0, 2));
    await old.close();

    const store = createSqlStore(engine(), {}, migrations);
    const placeOf = async (answer: string) => {
      const found = await store.conversations.findAnswer("t", answer);
      return found && [found.conversation.id, found.length];
    };
    const goesOn = { conversation: "responses", after: messages[1]!.hash, at: 2 };
    await store.conversations.append("t", {
      ...goesOn,
      messages: [messages[2]!, { ...messages[3]!, answer: "resp_2" }],
    });
    expect(await placeOf("session of responses")).toEqual(["responses", 2]);
    expect(await placeOf("resp_2")).toEqual(["responses", 4]);
    for (const id of ["named", "chat"]) expect(await placeOf(`session of ${id}`)).toBeUndefined();
    await store.close();
  });

  test("texts of older versions are read, shared with forks and deleted as before", async () => {
    const engine = await place();
    const old = engine();
    await migrate(old, migrations.slice(0, 3));
    const messages = storedTranscript("a", "b", "c");
    for (const id of ["one", "two"])
      await putSecond(old, { id }, messages, (position) => ({
        answer: position === 1 ? `answer of ${id}` : null,
      }));
    await old.close();

    const store = createSqlStore(engine(), {}, migrations);
    const { conversations, upkeep } = store;
    const readTexts = async (id: string) => textsOf(await conversations.read("t", id));
    for (const id of ["one", "two"]) expect(await readTexts(id)).toEqual(textsOf(messages));
    expect((await upkeep.stats()).counts).toMatchObject({ messages: 6, bodies: 3 });
    expect((await conversations.findAnswer("t", "answer of two"))?.conversation.id).toBe("two");
    // One goes on, and has a fork that shares texts of both versions.
    const longer = storedTranscript("a", "b", "c", "d", "e");
    await conversations.append("t", { conversation: "one", messages: longer, at: 2 });
    const other = storedTranscript("a", "b", "c", "d", "other");
    const fork = await conversations.append("t", { conversation: "one", messages: other, at: 3 });
    expect(await readTexts(fork.conversation)).toEqual(textsOf(other));
    expect(await readTexts("one")).toEqual(textsOf(longer));
    expect((await upkeep.stats()).counts).toMatchObject({ messages: 13, bodies: 6 });
    await conversations.delete("t", "one");
    expect(await readTexts("two")).toEqual(textsOf(messages));
    expect(await readTexts(fork.conversation)).toEqual(textsOf(other));
    for (const id of ["two", fork.conversation]) await conversations.delete("t", id);
    expect((await upkeep.stats()).counts).toMatchObject({ messages: 0, bodies: 0 });
    await store.close();
  });

  test("no message is stored without a text, whatever an older version still does", async () => {
    const engine = await place();
    const store = createSqlStore(engine(), {}, migrations);
    const { conversations } = store;
    const messages = storedTranscript("a", "b", "c");
    const { conversation } = await conversations.append("t", { messages, at: 1 });
    expect(textsOf(await conversations.read("t", conversation))).toEqual(textsOf(messages));
    // As the third version copied a message into a fork: where its text was, and nothing else.
    const direct = engine();
    await direct.open();
    const copy = rows(`insert into precis_messages (tenant, conversation, position, hash, body, role, at)
      select tenant, conversation, position + 10, hash, body, role, at from precis_messages`);
    await expect(direct.transact(copy)).rejects.toThrow(/precis_messages_text/);
    await direct.close();
    await store.close();
  });

  test("messages that were stored before there was an index of words are indexed once", async () => {
    const engine = await place();
    const old = engine();
    await migrate(old, migrations.slice(0, 8));
    await putSecond(old, { id: "c" }, storedTranscript("alpha", "beta", "gamma"));
    await old.close();

    const added: number[] = [];
    const counting = engine();
    const textIndex: TextIndex = {
      ...counting.textIndex,
      add(document, tokens) {
        added.push(document);
        return counting.textIndex.add(document, tokens);
      },
    };
    const store = createSqlStore({ ...counting, textIndex }, {}, migrations);
    await store.ready();
    expect(added).toHaveLength(3);
    const { messages } = await store.recallIndex("t").candidates({ terms: ["beta"], limit: 1 });
    expect(messages.map(({ index }) => index)).toContain(1);
    expect(added).toHaveLength(3);
    await store.close();
  });

  test("a database of a newer version is refused, and left as it is", async () => {
    const engine = await place();
    const newer = createSqlStore(engine(), {}, [...migrations, next]);
    await newer.ready();
    await newer.close();
    const old = createSqlStore(engine(), {}, migrations);
    await expect(old.ready()).rejects.toThrow(
      `schema version ${migrations.length + 1}, this precis knows versions up to ${migrations.length}. Upgrade precis`,
    );
    await expect(old.find(["a"])).rejects.toThrow(/Upgrade precis/);
    await old.close();
    const again = createSqlStore(engine(), {}, [...migrations, next]);
    await again.ready();
    await again.close();
  });

  test("a step that fails leaves the version before, and the next start tries again", async () => {
    const engine = await place();
    const first = createSqlStore(engine(), {}, migrations);
    await first.events.append("t", { type: "x", at: 1, data: 1 });
    await first.close();
    for (let n = 0; n < 2; n++) {
      const failing = createSqlStore(engine(), {}, [...migrations, broken]);
      await expect(failing.ready()).rejects.toThrow(/the step broke/);
      await failing.close();
    }
    const store = createSqlStore(engine(), {}, [...migrations, next]);
    expect(await store.events.list("t")).toHaveLength(1);
    await store.close();
  });

  test("many stores that are opened at once agree", async () => {
    const engine = await place();
    const stores = Array.from({ length: 6 }, () => createSqlStore(engine(), {}, migrations));
    await Promise.all(stores.map((store) => store.ready()));
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe("a rolling upgrade of PostgreSQL, while a node of the version before writes", () => {
  const WAITING = "select count(*)::int as count from pg_locks where not granted";
  /** Looks at the server until somebody waits: more than it takes on a busy machine. */
  const MOST_LOOKS = 2_000;
  const engineAt = (connectionString: string) =>
    postgresEngine(
      new pg.Pool({ connectionString }).on("error", () => {}),
      { where: "PostgreSQL", ownsPool: true },
    );

  test("the index of words is emptied without a deadlock with a node that indexes", async () => {
    const url = await postgres.database();
    const before = migrations.slice(0, 9);
    const filled = createSqlStore(engineAt(url), {}, before);
    await filled.ready();
    await filled.close();
    const node = new pg.Client({ connectionString: url });
    await node.connect();
    const writer = engineAt(url);
    const row = { ...FIRST_ROW, id: "c", length: 1, indexed: 1, named: 0 };
    await writer.transact(putRow("precis_conversations", row));
    // The node holds a conversation, as whoever indexes it does, before it comes to the index.
    await node.query("begin");
    await node.query("select id from precis_conversations where tenant = 't' and id = 'c' for update");
    const upgraded = migrate(writer, migrations);
    for (let look = 0; look < MOST_LOOKS; look++)
      if ((await node.query<{ count: number }>(WAITING)).rows[0]!.count > 0) break;
    await node.query("insert into precis_recall (doc, tokens) values (1, '{a}')");
    await node.query("update precis_conversations set indexed = 1 where tenant = 't' and id = 'c'");
    await node.query("commit");
    await upgraded;
    expect((await node.query("select doc from precis_recall")).rows).toEqual([]);
    await node.end();
    await writer.close();
  });

  test("steps and work on rows that met another transaction are tried again", async () => {
    const url = await postgres.database();
    const engine = engineAt(url);
    const deadlock = () => Object.assign(new Error("deadlock detected"), { code: "40P01" });
    let [steps, batches] = [0, 0];
    const unlucky: Migration = {
      name: "9999-unlucky",
      *up() {
        if (steps++ === 0) throw deadlock();
        yield* rows("create table precis_lucky (a text)");
      },
      *batch() {
        if (batches++ === 0) throw deadlock();
        yield* rows("insert into precis_lucky (a) values ('once')");
        return { cursor: undefined, done: 1, total: 1 };
      },
    };
    await migrate(engine, [...migrations, unlucky]);
    expect(await engine.read(rows("select a from precis_lucky"))).toEqual([{ a: "once" }]);
    await engine.close();
  });
});
