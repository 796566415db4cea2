/** `precis.db` is the whole database once nobody has written for a moment, and `backup` makes a whole copy at any time. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import type { ServerStore } from "../server-store.ts";
import { sqliteStore } from "../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-one-file-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const CHATS = 200;
const text = "a few words that make up most of a page ".repeat(100);

async function fill(store: ServerStore, name: string, times = 1): Promise<void> {
  await Promise.all(
    Array.from({ length: CHATS }, (_, n) => {
      const wire = JSON.stringify({ role: "user", content: `${name} ${n} ${text.repeat(times)}` });
      const messages = [{ hash: `${name} ${n}`, role: "user" as const, wire, at: n }];
      return store.conversations.append("t", { session: `${name} ${n}`, isNew: true, messages, at: n });
    }),
  );
}

async function chatsIn(path: string): Promise<number> {
  const store = sqliteStore({ path });
  const { counts } = await store.upkeep.stats("t");
  await store.close();
  return counts.messages;
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

test("a copy of the file alone holds everything as soon as the log is empty, while the store is open", async () => {
  const path = join(dir, "idle.db");
  const store = sqliteStore({ path });
  await fill(store, "a");
  await expect.poll(() => sizeOf(`${path}-wal`)).toBe(0);
  const copy = join(dir, "idle-copy.db");
  copyFileSync(path, copy);
  expect(await chatsIn(copy)).toBe(CHATS);
  // What isn't appended is taken over as well.
  const [one] = (await store.conversations.list("t")).conversations;
  await store.conversations.update("t", one!.id, { title: "another" });
  await expect.poll(() => sizeOf(`${path}-wal`)).toBe(0);
  await store.close();
});

test("a store that was closed leaves one file", async () => {
  const path = join(dir, "closed.db");
  const store = sqliteStore({ path });
  await fill(store, "a");
  await store.close();
  expect(readdirSync(dir).filter((name) => name.startsWith("closed.db"))).toEqual(["closed.db"]);
  expect(await chatsIn(path)).toBe(CHATS);
});

test("the log stays short however much is written without a pause", async () => {
  const path = join(dir, "busy.db");
  const store = sqliteStore({ path });
  const most = 64 * 1_024 * 1_024;
  for (let round = 0; round < 12; round++) {
    await fill(store, `r${round}`, 10);
    // When it is that long it is taken over; the transaction that made it so stands in it, too.
    expect(sizeOf(`${path}-wal`)).toBeLessThan(1.2 * most);
  }
  // Or it would be longer now.
  expect(sizeOf(path)).toBeGreaterThan(most / 2);
  await store.close();
});

test("a backup is whole while others write and read, and is its owner's alone", async () => {
  const path = join(dir, "server.db");
  const server = sqliteStore({ path });
  await fill(server, "a");
  // Somebody reads the whole time, so that the log can't be emptied.
  const reader = new DatabaseSync(path);
  reader.exec("begin; select count(*) from precis_nodes");
  await fill(server, "b");
  const command = sqliteStore({ path });
  const file = join(dir, "backup.db");
  await command.upkeep.backup(file);
  await expect(command.upkeep.backup(file)).rejects.toThrow(/exists already/);
  await expect(command.upkeep.backup(join(dir, "no/folder.db"))).rejects.toThrow(/folder exists/);
  await command.close();
  reader.close();
  await server.close();
  expect(await chatsIn(file)).toBe(2 * CHATS);
  if (process.platform !== "win32") expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
});

test("what has no file says what to do instead", async () => {
  const store = sqliteStore({ path: ":memory:" });
  await expect(store.upkeep.backup(join(dir, "none.db"))).rejects.toThrow(/export/);
  expect(existsSync(join(dir, "none.db"))).toBe(false);
  await store.close();
});
