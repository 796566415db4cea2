import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { StoreError } from "../../core/errors.ts";
import { sqliteStore } from "../sqlite.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-at-once-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const AT = 1_700_000_000_000;
const message = (name: string, role: "user" | "assistant" = "user") => ({
  hash: `hash-${name}`,
  role,
  wire: JSON.stringify({ role, content: name }),
  tokens: 3,
  at: AT,
});

test("many conversations at once, in rounds: everything is there, each in its place", async () => {
  const store = sqliteStore({ path: join(dir, "many.db") });
  const names = Array.from({ length: 60 }, (_, n) => `c${n}`);
  const ids = new Map<string, string>();
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      names.map(async (name) => {
        const appended = await store.conversations.append("default", {
          session: name,
          ...(round === 0
            ? { isNew: true as const }
            : { conversation: ids.get(name)!, after: `hash-${name} ${round - 1} b` }),
          messages: [message(`${name} ${round} a`), message(`${name} ${round} b`, "assistant")],
          head: "the same for all",
          at: AT + round,
        });
        expect(appended.length).toBe((round + 1) * 2);
        ids.set(name, appended.conversation);
      }),
    );
  }
  expect(new Set(ids.values()).size).toBe(names.length);
  for (const name of names) {
    const stored = await store.conversations.read("default", ids.get(name)!);
    expect(stored.map(({ wire }) => (JSON.parse(wire) as { content: string }).content)).toEqual(
      Array.from({ length: 10 }, (_, round) => [`${name} ${round} a`, `${name} ${round} b`]).flat(),
    );
    expect(await store.conversations.get("default", ids.get(name)!)).toMatchObject({
      length: 20,
      tokens: 60,
      session: name,
    });
  }
  await store.close();
});

test("one that can't be written takes nothing of the others along", async () => {
  const store = sqliteStore({ path: join(dir, "one-fails.db") });
  for (let round = 0; round < 5; round++) {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        store.conversations.append("default", {
          session: `s${round}-${n}`,
          ...(n === 7 && { after: "nowhere" }),
          messages: [message(`${round} ${n}`)],
          at: AT,
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect((results[7] as PromiseRejectedResult).reason).toBeInstanceOf(StoreError);
  }
  const { counts } = await store.upkeep.stats("default");
  expect(counts.messages).toBe(5 * 19);
  await store.close();
});

test("other writes and reads among them see what was acknowledged", async () => {
  const store = sqliteStore({ path: join(dir, "mixed.db") });
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const { conversation } = await store.conversations.append("default", {
        session: `s${n}`,
        isNew: true,
        messages: [message(`first ${n}`)],
        at: AT,
      });
      await store.conversations.update("default", conversation, { title: `title ${n}` });
      await store.settings.change(`tenant ${n}`, () => n);
      expect(await store.conversations.get("default", conversation)).toMatchObject({
        title: `title ${n}`,
        length: 1,
      });
    }),
  );
  await store.close();
});
