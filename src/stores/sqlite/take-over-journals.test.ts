import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test, vi } from "vitest";
import { AT, everything, first, message, next, TENANT, wordsOf } from "../../../test/support/appends.ts";
import { type OldRecord, oldJournal } from "../../../test/support/old-journal.ts";
import type { Append } from "../server-store.ts";
import { sqliteStore } from "../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-journals-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const FIXTURE = "n000000000001-019a0000-0000-7000-8000-000000000000.journal";
let files = 0;

/** A database of version 0.1 with journals beside it. */
async function place(...journals: readonly (readonly OldRecord[])[]) {
  const path = join(dir, `${++files}.db`);
  const folder = `${path}-journals`;
  const store = sqliteStore({ path });
  const { conversation } = await store.conversations.append(TENANT, first("a"));
  await store.close();
  mkdirSync(folder);
  for (const [n, records] of journals.entries())
    writeFileSync(join(folder, `${n}.journal`), oldJournal(...records));
  return { path, folder, conversation, journals: () => (existsSync(folder) ? readdirSync(folder) : []) };
}

const record = (id: string, input: Append, position = 0): OldRecord => ({
  tenant: TENANT,
  id,
  input,
  position,
});

test("what version 0.1 left in a journal is there, whole, and its journals are gone", async () => {
  const { path, folder } = await place();
  copyFileSync(
    join(import.meta.dirname, "../../../test/fixtures/journal-v2", FIXTURE),
    join(folder, FIXTURE),
  );
  const store = sqliteStore({ path });
  expect(await store.conversations.get(TENANT, "c1")).toMatchObject({
    session: "s1",
    named: true,
    title: "Grüße 😀",
    dialect: "openai-chat",
    model: "gpt-4o",
    length: 4,
    tokens: 13,
    expiresAt: AT + 86_400_000,
  });
  expect(await wordsOf(store, "c1")).toEqual([
    "Wie heißt die Straße?",
    "日本語で。",
    "And then?",
    "Nothing.",
  ]);
  expect(await store.conversations.head(TENANT, "c1")).toContain("Be long.");
  expect(await store.conversations.findAnswer(TENANT, "r1")).toMatchObject({ length: 2 });
  expect(await store.conversations.get("team", "c2")).toMatchObject({ length: 1, updatedAt: AT + 1 });
  await store.close();
  expect(existsSync(folder)).toBe(false);
});

test("journals are taken over in their order, once, by however many processes that start at once", async () => {
  const { path, folder, conversation } = await place();
  const all = Array.from({ length: 40 }, (_, n) => `m${n}`);
  const records = all.map((name, n) =>
    record("none", next(conversation, n === 0 ? "a" : `m${n - 1}`, name), n + 1),
  );
  writeFileSync(join(folder, "n000000000001-b.journal"), oldJournal(...records.slice(0, 20)));
  writeFileSync(
    join(folder, "n000000000002-a.journal"),
    oldJournal(...records.slice(20), record("new", first("z"))),
  );
  const stores = [0, 1, 2].map(() => sqliteStore({ path }));
  await Promise.all(stores.map((store) => store.ready()));
  for (const store of stores) expect(await everything(store)).toEqual([["a", ...all], ["z"]]);
  await Promise.all(stores.map((store) => store.close()));
  expect(existsSync(folder)).toBe(false);
});

test("a process that was killed while it took a journal over leaves the rest to the next one", async () => {
  const { path, folder, journals } = await place();
  const records = Array.from({ length: 700 }, (_, n) => record(`c${n}`, first(`m${n}`)));
  const done = oldJournal(...records.slice(0, 300));
  writeFileSync(join(folder, "0.journal"), done);
  const killed = sqliteStore({ path });
  await killed.ready();
  await killed.close();
  // The rest was there, too, and how far it had come stands in the database.
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "0.journal"), oldJournal(...records));
  const database = new DatabaseSync(path);
  database
    .prepare("insert into precis_meta (key, value) values (?, ?)")
    .run("journal/0.journal", String(done.length));
  database.close();
  const store = sqliteStore({ path });
  expect((await store.upkeep.stats()).counts.conversations).toBe(701);
  expect(journals()).toEqual([]);
  await store.close();
});

test("messages of a conversation that is gone find a place all the same", async () => {
  const { path } = await place([record("made-elsewhere", next("no-such-conversation", "x", "y"), 4)]);
  const store = sqliteStore({ path });
  expect(await everything(store)).toEqual([["a"], ["y"]]);
  await store.close();
});

test("half a record at the end hides nothing that stands before it", async () => {
  const { path, folder } = await place();
  const bytes = oldJournal(record("made-elsewhere", first("b")));
  writeFileSync(join(folder, "0.journal"), Buffer.concat([bytes, bytes.subarray(0, 30)]));
  const store = sqliteStore({ path });
  expect(await everything(store)).toEqual([["a"], ["b"]]);
  await store.close();
});

test("a damaged journal is set aside with a warning; what stands before the damage is stored", async () => {
  const { path, folder, journals } = await place();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const bytes = oldJournal(record("made-elsewhere", first("b")));
  writeFileSync(join(folder, "0.journal"), Buffer.concat([bytes, Buffer.alloc(100)]));
  const store = sqliteStore({ path });
  expect(await everything(store)).toEqual([["a"], ["b"]]);
  expect(journals()).toEqual(["0.journal.damaged"]);
  expect(String(warned.mock.calls[0]?.[0])).toContain("0.journal.damaged");
  warned.mockRestore();
  await store.close();
});

test("an append that no table takes is kept aside, and those around it are stored", async () => {
  const { path, folder, journals } = await place();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const names = Array.from({ length: 100 }, (_, n) => `m${n}`);
  const records = names.map((name, n) => {
    const role = n === 50 ? (null as never) : ("user" as const);
    return record(name, { messages: [{ ...message(name), role }], at: AT });
  });
  writeFileSync(join(folder, "0.journal"), oldJournal(...records));
  const store = sqliteStore({ path });
  for (const name of names.filter((_, n) => n !== 50))
    expect(await wordsOf(store, name), name).toEqual([name]);
  const [refused] = journals();
  expect(readFileSync(join(folder, refused!), "utf8")).toContain("hash of m50");
  expect(String(warned.mock.calls[0]?.[0])).toContain("set aside");
  warned.mockRestore();
  await store.close();
});
