/** Several processes on one file: what one has written the others see, and none writes over another. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { everything, first, next, TENANT, wordsOf } from "../../../test/support/appends.ts";
import { StoreError } from "../../core/errors.ts";
import type { ServerStore } from "../server-store.ts";
import { sqliteStore } from "../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-several-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;

function two(): { one: ServerStore; other: ServerStore; close(): Promise<unknown> } {
  const path = join(dir, `${++files}.db`);
  const one = sqliteStore({ path });
  const other = sqliteStore({ path });
  return { one, other, close: () => Promise.all([one.close(), other.close()]) };
}

test("what was acknowledged is there for another process at once", async () => {
  const { one, other, close } = two();
  const { conversation } = await one.conversations.append(TENANT, first("a", "b"));
  await one.conversations.append(TENANT, next(conversation, "b", "c"));
  expect(await wordsOf(other, conversation)).toEqual(["a", "b", "c"]);
  expect(await other.conversations.find(TENANT, ["hash of a", "hash of b", "hash of c"])).toMatchObject({
    matched: 3,
  });
  await close();
});

test("two processes that go on after the same message make two branches, and each goes on with its own", async () => {
  const { one, other, close } = two();
  const { conversation } = await one.conversations.append(TENANT, first("a"));
  const go = (who: "one" | "other", after: string, name: string) =>
    (who === "one" ? one : other).conversations.append(TENANT, next(conversation, after, name));
  await go("other", "a", "b");
  await go("other", "b", "c");
  await go("one", "c", "d");
  await go("one", "d", "e");
  await go("other", "c", "D");
  await go("one", "e", "f");
  await go("other", "D", "E");
  await go("other", "E", "F");
  for (const store of [one, other]) {
    expect(await everything(store)).toEqual([["a", "b", "c", "D", "E", "F"]]);
    const path = await store.conversations.read(TENANT, conversation, { leaf: "hash of f" });
    expect(path.map(({ hash }) => hash)).toEqual(
      ["a", "b", "c", "d", "e", "f"].map((name) => `hash of ${name}`),
    );
    expect(await store.conversations.siblings(TENANT, conversation)).toEqual(
      new Map([[3, ["hash of d", "hash of D"]]]),
    );
  }
  await close();
});

test("a conversation that another process deleted isn't appended to", async () => {
  const { one, other, close } = two();
  const { conversation } = await one.conversations.append(TENANT, first("a"));
  await one.conversations.append(TENANT, next(conversation, "a", "b"));
  expect(await other.conversations.delete(TENANT, conversation)).toBe(true);
  await expect(one.conversations.append(TENANT, next(conversation, "b", "c"))).rejects.toBeInstanceOf(
    StoreError,
  );
  expect(await everything(one)).toEqual([]);
  await close();
});

test("both write a lot at the same time, and nothing is missing", async () => {
  const { one, other, close } = two();
  const chats = Array.from({ length: 120 }, (_, n) => `chat ${n}`);
  await Promise.all(
    chats.map(async (name, n) => {
      const store = n % 2 === 0 ? one : other;
      const { conversation } = await store.conversations.append(TENANT, first(name));
      await store.conversations.append(TENANT, next(conversation, name, `${name}, more`));
      await store.conversations.update(TENANT, conversation, { title: name });
    }),
  );
  const { counts } = await one.upkeep.stats(TENANT);
  expect(counts).toMatchObject({ conversations: chats.length, messages: 2 * chats.length });
  await close();
});
