import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { storedTranscript } from "../../testing/store-contract.ts";
import { SCHEMA_VERSION } from "../sql/schema.ts";
import { sqliteStore } from "../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-sqlite-file-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Everything that stands in the database's files. */
function bytesOf(path: string): string {
  const name = path.slice(dir.length + 1);
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && join(file.parentPath, file.name).startsWith(join(dir, name)))
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
    .join("");
}

test("a deleted conversation's words are gone from the files, also while the store is open", async () => {
  const path = join(dir, "words.db");
  const store = sqliteStore({ path });
  const secret = "xylophone-quartz";
  const wire = JSON.stringify({ role: "user", content: `${secret} `.repeat(2_000) });
  const messages = [{ hash: "a1", role: "user", wire, at: 1 } as const];
  const { conversation } = await store.conversations.append("t", { messages, title: secret, at: 1 });
  await store.conversations.append("t", { messages: storedTranscript("kept-words"), at: 1 });
  // Its words stand in the index, too.
  const { messages: found } = await store.recallIndex("t").candidates({ terms: [secret], limit: 10 });
  expect(found).toHaveLength(1);
  expect(bytesOf(path).includes(secret)).toBe(true);
  await store.conversations.delete("t", conversation);
  expect(bytesOf(path).includes(secret)).toBe(false);
  expect(bytesOf(path).includes("kept-words")).toBe(true);
  await store.close();
});

test("what isn't there, can't be opened or isn't a database is said in words", async () => {
  const broken = async (path: string) => {
    const store = sqliteStore({ path });
    const error: unknown = await store.ready().catch((reason: unknown) => reason);
    await store.close();
    return String(error);
  };
  expect(await broken(join(dir, "no/folder/x.db"))).toMatch(/can't be opened.*folder exists/);
  mkdirSync(join(dir, "folder.db"));
  expect(await broken(join(dir, "folder.db"))).toMatch(/can't be opened/);
  writeFileSync(join(dir, "text.db"), "Dear diary, this is no database. ".repeat(100));
  expect(await broken(join(dir, "text.db"))).toMatch(/isn't an SQLite database/);
});

test("a database that another process writes to is waited for, without holding up this one", async () => {
  const path = join(dir, "busy.db");
  const store = sqliteStore({ path });
  await store.ready();
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  const appended = store.conversations.append("t", { messages: [], at: 1 });
  await expect.poll(() => ticks).toBeGreaterThan(2);
  other.exec("commit");
  other.close();
  expect(await appended).toMatchObject({ length: 0 });
  clearInterval(timer);
  await store.close();
});

test("a long export sees one moment and holds up no writer", async () => {
  const store = sqliteStore({ path: join(dir, "export.db") });
  for (let i = 0; i < 20; i++)
    await store.conversations.append("t", { messages: storedTranscript(`m${i}`), at: i });
  const lines: string[] = [];
  for await (const line of store.upkeep.exportAll()) {
    lines.push(line);
    await store.conversations.append("t", { messages: storedTranscript(`late ${lines.length}`), at: 1 });
  }
  expect(lines).toHaveLength(1 + 2 * 20);
  await store.close();
});

test("an export that is broken off lets go of the file", async () => {
  const path = join(dir, "partly.db");
  const store = sqliteStore({ path });
  await store.conversations.append("t", { messages: storedTranscript("a", "b"), at: 1 });
  for await (const line of store.upkeep.exportAll()) if (line.includes("message")) break;
  await store.upkeep.vacuum();
  await store.close();
});

test("deleting a text never looks through all messages of a tenant", async () => {
  const path = join(dir, "plan.db");
  const store = sqliteStore({ path });
  await store.ready();
  await store.close();
  const database = new DatabaseSync(path);
  database.exec("pragma foreign_keys = on");
  const plan = database
    .prepare("explain query plan delete from precis_bodies where hash = 'h'")
    .all()
    .map((row) => String(row["detail"]));
  database.close();
  // Beside the text itself: the messages and texts made of it whose foreign keys point at it.
  expect(plan).toHaveLength(3);
  for (const step of plan) expect(step).toMatch(/SEARCH .* \((hash|body|base)=\?\)/);
});

const SCHEMA_VERSIONS = ["0", "1", String(SCHEMA_VERSION + 1), "next"];

test.each(SCHEMA_VERSIONS)(
  "a database of schema version %s is refused with what to do, and left as it is",
  async (version) => {
    const path = join(dir, `version-${version}.db`);
    const made = sqliteStore({ path });
    await made.conversations.append("t", { messages: storedTranscript("a", "b"), at: 1 });
    await made.close();
    const other = new DatabaseSync(path);
    other.prepare("update precis_meta set value = ? where key = 'schema'").run(version);
    other.close();
    const before = bytesOf(path);
    const store = sqliteStore({ path });
    await expect(store.ready()).rejects.toThrow(
      `schema version ${version}, this precis knows version ${SCHEMA_VERSION} alone. Use the precis that made it, or another database`,
    );
    await expect(store.find(["a"])).rejects.toThrow(/schema version/);
    await store.close();
    expect(bytesOf(path)).toBe(before);
  },
);

test("a database of another program is refused with what to do, and left as it is", async () => {
  const path = join(dir, "foreign.db");
  const foreign = new DatabaseSync(path);
  foreign.exec("create table notes (text text); insert into notes values ('mine')");
  foreign.close();
  const before = bytesOf(path);
  const store = sqliteStore({ path });
  await expect(store.ready()).rejects.toThrow(/is a database of another program\. Give another path/);
  await store.close();
  expect(bytesOf(path)).toBe(before);
});

test("a damaged database is refused with what to do, and left as it is", async () => {
  const path = join(dir, "damaged.db");
  const made = sqliteStore({ path });
  await made.conversations.append("t", { messages: storedTranscript("a", "b"), at: 1 });
  await made.close();
  // Its first page says that it is one, the rest is gone.
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 100));
  const before = bytesOf(path);
  const store = sqliteStore({ path });
  await expect(store.ready()).rejects.toThrow(/is damaged\. Restore it from a backup/);
  await store.close();
  expect(bytesOf(path)).toBe(before);
});
