import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { sharedPostgres, type TestDatabases } from "../../../test/support/postgres.ts";
import { storedTranscript } from "../../testing/store-contract.ts";
import { postgresStore } from "../postgres.ts";
import type { Append, Appended, NewMessage, ServerStore } from "../server-store.ts";
import { memoryServerStore } from "../sqlite.ts";

let server: TestDatabases;
beforeAll(async () => {
  server = await sharedPostgres();
});

const TENANT = "t";
const AT = 1_700_000_000_000;

/** A store that counts how often it takes a connection. */
async function countingStore(): Promise<{ store: ServerStore; pool: pg.Pool; taken(): number }> {
  const pool = new pg.Pool({ connectionString: await server.database() });
  pool.on("error", () => {});
  let taken = 0;
  const counting = {
    connect: () => {
      taken++;
      return pool.connect();
    },
    end: async () => {},
  };
  const store = postgresStore({ pool: counting });
  await store.ready();
  return { store, pool, taken: () => taken };
}

const first = (name: string, more: Partial<Append> = {}): Append => ({
  session: name,
  isNew: true,
  title: name,
  messages: storedTranscript(name, "answer"),
  at: AT,
  ...more,
});
const next = (name: string, conversation: string, more: Partial<Append> = {}): Append => ({
  conversation,
  after: storedTranscript(name, "answer").at(-1)!.hash,
  messages: storedTranscript(name, "answer", "more", "and more").slice(2),
  at: AT + 1,
  ...more,
});

test("appends that come at once share a transaction", async () => {
  const { store, pool, taken } = await countingStore();
  const names = Array.from({ length: 40 }, (_, n) => `c${n}`);
  const before = taken();
  const made = await Promise.all(names.map((name) => store.conversations.append(TENANT, first(name))));
  const grown = await Promise.all(
    names.map((name, n) => store.conversations.append(TENANT, next(name, made[n]!.conversation))),
  );
  // As a node sends it that doesn't know yet what others have added.
  const all = (name: string) => storedTranscript(name, "answer", "more", "and more", "at last");
  const caughtUp = await Promise.all(
    names.map((name, n) =>
      store.conversations.append(TENANT, {
        conversation: made[n]!.conversation,
        after: all(name)[0]!.hash,
        messages: all(name).slice(1),
        at: AT + 2,
      }),
    ),
  );
  // One for each of the three transactions, and for what is seen to besides.
  expect(taken() - before).toBeLessThan(7);
  expect(grown.map(({ length, added }) => [length, added])).toEqual(names.map(() => [4, 2]));
  expect(caughtUp.map(({ length, added }) => [length, added])).toEqual(names.map(() => [5, 1]));
  for (const [n, name] of names.entries()) {
    const messages = await store.conversations.read(TENANT, made[n]!.conversation);
    expect(messages.map(({ wire }) => wire)).toEqual(all(name).map(({ wire }) => wire));
  }
  await store.close();
  await pool.end();
});

test("one that fails takes nothing of the others along", async () => {
  const { store, pool } = await countingStore();
  const known = await store.conversations.append(TENANT, first("known"));
  const unstorable: NewMessage = { hash: "h:bad", role: "user", wire: "a\0b", at: AT };
  const outcomes = await Promise.allSettled([
    store.conversations.append(TENANT, first("a")),
    store.conversations.append(TENANT, first("bad", { messages: [unstorable] })),
    store.conversations.append(TENANT, next("known", known.conversation)),
    store.conversations.append(TENANT, next("known", "nobody")),
    store.conversations.append(TENANT, first("", { session: "" })),
    store.conversations.append(TENANT, first("b")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  const stats = await store.upkeep.stats();
  expect(stats.counts).toMatchObject({ conversations: 3, messages: 8 });
  await store.close();
  await pool.end();
});

test("what isn't taken leaves no text behind", async () => {
  const { store, pool } = await countingStore();
  const { conversation } = await store.conversations.append(TENANT, first("a"));
  const { counts } = await store.upkeep.stats();
  const lost = next("a", conversation, { after: "h:elsewhere" });
  await expect(store.conversations.append(TENANT, lost)).rejects.toThrow();
  expect((await store.upkeep.stats()).counts).toEqual(counts);
  await store.close();
  await pool.end();
});

test("all kinds at once come to what the memory store comes to one by one", async () => {
  const { store, pool } = await countingStore();
  const memory = memoryServerStore();
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const head = (text: string) => JSON.stringify([{ role: "system", content: text }]);
  const run = async (into: ServerStore, isAtOnce: boolean) => {
    let answers = 0;
    const answered = (input: Append): Append => {
      const answer = `r${++answers}`;
      const last = input.messages.length - 1;
      return { ...input, messages: input.messages.map((one, n) => (n === last ? { ...one, answer } : one)) };
    };
    const all = async (given: readonly Append[]): Promise<Appended[]> => {
      const inputs = given.map(answered);
      if (isAtOnce) return Promise.all(inputs.map((input) => into.conversations.append(TENANT, input)));
      const done: Appended[] = [];
      for (const input of inputs) done.push(await into.conversations.append(TENANT, input));
      return done;
    };
    const made = await all(names.map((name) => first(name, { head: head("one") })));
    const id = (n: number) => made[n]!.conversation;
    const grown = await all([
      next("a", id(0), { ttlMs: 1_000.4, model: "m", dialect: "openai-chat" }),
      next("b", id(1), { head: head("one"), session: "renamed", named: true }),
      // The head changes.
      next("c", id(2), { head: head("two") }),
      // A branch: it goes on from its first message.
      next("d", id(3), {
        after: storedTranscript("d")[0]!.hash,
        messages: storedTranscript("d", "other").slice(1),
      }),
      // All of it once more, from the beginning; and with what another node added in between.
      first("e", { conversation: id(4), messages: storedTranscript("e", "answer", "more") }),
      next("f", id(5), {
        after: storedTranscript("f")[0]!.hash,
        messages: storedTranscript("f", "answer", "more", "and more").slice(1),
      }),
      next("g", id(6), { messages: [] }),
      { messages: storedTranscript("no session"), at: AT + 1 },
      { session: "by name", messages: storedTranscript("by name"), at: AT + 1 },
    ]);
    const rows = [];
    for (const { conversation } of [...made, ...grown]) {
      const { id, session, ...rest } = (await into.conversations.get(TENANT, conversation))!;
      rows.push({
        ...rest,
        session: session === id ? "its id" : session,
        siblings: await into.conversations.siblings(TENANT, conversation),
        head: await into.conversations.head(TENANT, conversation),
        messages: await into.conversations.read(TENANT, conversation),
      });
    }
    const lengths = [];
    for (let n = 1; n <= answers; n++)
      lengths.push((await into.conversations.findAnswer(TENANT, `r${n}`))?.length);
    expect(lengths.filter((length) => length !== undefined).length).toBeGreaterThan(names.length);
    const { counts } = await into.upkeep.stats();
    return { lengths, grown: grown.map(({ added, length }) => ({ added, length })), rows, counts };
  };
  expect(await run(store, true)).toEqual(await run(memory, false));
  await store.close();
  await pool.end();
});

test("two appends to one conversation at once: one follows, the other branches or finds it there", async () => {
  const { store, pool } = await countingStore();
  const { conversation } = await store.conversations.append(TENANT, first("a"));
  const [one, same, other] = await Promise.all([
    store.conversations.append(TENANT, next("a", conversation)),
    store.conversations.append(TENANT, next("a", conversation)),
    store.conversations.append(
      TENANT,
      next("a", conversation, { messages: storedTranscript("a", "answer", "otherwise").slice(2) }),
    ),
  ]);
  expect([one, same]).toMatchObject([
    { conversation, added: 2, length: 4 },
    { conversation, added: 0, length: 4 },
  ]);
  expect(other).toMatchObject({ conversation, added: 1, length: 3 });
  expect((await store.conversations.siblings(TENANT, conversation)).get(2)).toHaveLength(2);
  await store.close();
  await pool.end();
});

test("nodes that append to one conversation at once all keep what they said", async () => {
  const url = await server.database();
  const nodes = Array.from({ length: 4 }, () => postgresStore({ url }));
  const { conversation } = await nodes[0]!.conversations.append(TENANT, first("a"));
  const after = storedTranscript("a", "answer").at(-1)!.hash;
  const outcomes = await Promise.all(
    nodes.flatMap((node, n) =>
      Array.from({ length: 5 }, (_, m) =>
        node.conversations.append(TENANT, {
          conversation,
          after,
          messages: storedTranscript("a", "answer", `${n}-${m}`).slice(2),
          at: AT + 1,
        }),
      ),
    ),
  );
  expect(new Set(outcomes.map((one) => one.conversation))).toEqual(new Set([conversation]));
  for (const node of nodes) {
    expect(await node.conversations.read(TENANT, conversation)).toHaveLength(3);
    const siblings = await node.conversations.siblings(TENANT, conversation);
    expect(new Set(siblings.get(2)).size).toBe(nodes.length * 5);
  }
  await Promise.all(nodes.map((node) => node.close()));
});

test("what was deleted and is sent again can have records again", async () => {
  const { store, pool } = await countingStore();
  const { conversation } = await store.conversations.append(TENANT, first("a"));
  const { hash } = storedTranscript("a")[0]!;
  const save = () => store.records(TENANT).save({ answers: [{ hash, model: "m", sizes: [1] } as never] });
  const saved = async () => (await store.records(TENANT).find([hash])).answers?.length ?? 0;
  await store.conversations.delete(TENANT, conversation);
  await save();
  expect(await saved()).toBe(0);
  await store.conversations.append(TENANT, first("a"));
  await save();
  expect(await saved()).toBe(1);
  await store.close();
  await pool.end();
});

test("appends work without prepared statements, as behind a pooler", async () => {
  const store = postgresStore({ url: await server.database(), prepare: false });
  const made = await Promise.all(["a", "b"].map((name) => store.conversations.append(TENANT, first(name))));
  expect(await store.conversations.append(TENANT, next("a", made[0]!.conversation))).toMatchObject({
    length: 4,
  });
  await store.close();
});

/** Too much for a short text, which stands with its conversation. */
const RULES = "rule ".repeat(100);
const OF_ALL = `of all ${RULES}`;

test("heads that change leave nothing behind after a sweep, and take nothing away that others need", async () => {
  const { store, pool, taken } = await countingStore();
  const head = (text: string) => JSON.stringify([{ role: "system", content: text, rules: RULES }]);
  const names = ["a", "b", "c", "d"];
  const heads = { a: "old", b: "old", c: "kept", d: "kept" } as Record<string, string>;
  const made = await Promise.all(
    names.map((name) => store.conversations.append(TENANT, first(name, { head: head(heads[name]!) }))),
  );
  const id = (n: number) => made[n]!.conversation;
  const before = taken();
  await Promise.all([
    store.conversations.append(TENANT, next("a", id(0), { head: head("new") })),
    store.conversations.append(TENANT, next("b", id(1), { head: head("newer") })),
    store.conversations.append(TENANT, next("c", id(2), { head: head("new") })),
    store.conversations.append(TENANT, next("d", id(3))),
  ]);
  expect(taken() - before).toBe(1);
  const stored = async () => {
    await store.upkeep.sweep();
    const { rows } = await pool.query(
      "select wire from precis_bodies where wire like '%system%' order by wire",
    );
    return rows.map(({ wire }) => JSON.parse(wire)[0].content);
  };
  expect(await stored()).toEqual(["kept", "new", "newer"]);
  // One leaves a head in the moment in which another comes to it.
  await Promise.all([
    store.conversations.append(TENANT, first("e", { head: head("newer") })),
    store.conversations.append(TENANT, {
      conversation: id(1),
      after: storedTranscript("b", "answer", "more", "and more").at(-1)!.hash,
      messages: storedTranscript("b", "answer", "more", "and more", "at last").slice(4),
      head: head("new"),
      at: AT + 2,
    }),
  ]);
  expect(await stored()).toEqual(["kept", "new", "newer"]);
  await store.close();
  await pool.end();
});

test("a head that several leave at the same time, on any node, is gone after the next sweep, and none that is needed", async () => {
  const url = await server.database();
  const stores = [postgresStore({ url }), postgresStore({ url }), postgresStore({ url })] as const;
  await Promise.all(stores.map((store) => store.ready()));
  const pool = new pg.Pool({ connectionString: url }).on("error", () => {});
  for (let round = 0; round < 10; round++) {
    const made = await Promise.all(
      stores.map((store, n) =>
        store.conversations.append(TENANT, first(`${round} ${n}`, { head: `of ${round} ${RULES}` })),
      ),
    );
    await Promise.all(
      stores.map((store, n) => {
        const { conversation } = made[n]!;
        if (n === 0 && round % 2 === 0) return store.conversations.delete(TENANT, conversation);
        return store.conversations.append(TENANT, next(`${round} ${n}`, conversation, { head: OF_ALL }));
      }),
    );
  }
  const heads = async () => (await pool.query("select wire from precis_bodies where wire like 'of%'")).rows;
  // None was taken away that is needed; what two left in the same moment goes with the next sweep.
  const { conversations } = await stores[0].conversations.list(TENANT, { limit: 500 });
  for (const { id } of conversations) expect(await stores[0].conversations.head(TENANT, id)).toBe(OF_ALL);
  await stores[0].upkeep.sweep();
  expect(await heads()).toEqual([{ wire: OF_ALL }]);
  for (const store of stores) await store.close();
  await pool.end();
});

test("a conversation that another transaction holds keeps nobody else waiting", async () => {
  const { store, pool } = await countingStore();
  const held = await store.conversations.append(TENANT, first("held"));
  const free = await store.conversations.append(TENANT, first("free"));
  const other = await pool.connect();
  await other.query("begin");
  await other.query("select 1 from precis_conversations where id = $1 for update", [held.conversation]);
  let isHeld = true;
  const waits = store.conversations.append(TENANT, next("held", held.conversation)).then((appended) => {
    expect(isHeld).toBe(false);
    return appended;
  });
  expect(await store.conversations.append(TENANT, next("free", free.conversation))).toMatchObject({
    length: 4,
  });
  isHeld = false;
  await other.query("commit");
  other.release();
  expect(await waits).toMatchObject({ conversation: held.conversation, length: 4 });
  await store.close();
  await pool.end();
});

test("a database that fills up quickly has statistics before autovacuum comes by", async () => {
  const { store, pool } = await countingStore();
  const names = Array.from({ length: 100 }, (_, n) => `c${n}`);
  await Promise.all(names.map((name) => store.conversations.append(TENANT, first(name))));
  for (let tried = 0; ; tried++) {
    const { rows } = await pool.query(
      "select reltuples from pg_class where relname = 'precis_conversations'",
    );
    if (rows[0].reltuples > 0) break;
    expect(tried).toBeLessThan(200);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await store.close();
  await pool.end();
});
