import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { storedTranscript } from "../../../testing/store-contract.ts";
import { sqliteEngine, sqliteStore } from "../../sqlite.ts";
import { createSqlStore } from "../create-sql-store.ts";
import { rows } from "../script.ts";
import { indexSome } from "./index-messages.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-index-later-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("what was appended is in the index before anybody searches", async () => {
  const path = join(dir, "later.db");
  const store = sqliteStore({ path });
  for (let n = 0; n < 30; n++)
    await store.conversations.append("t", { messages: storedTranscript(`chat ${n}`, "answer"), at: n });
  const reader = new DatabaseSync(path, { readOnly: true });
  const left = () =>
    reader.prepare("select count(*) as n from precis_conversations where indexed < nodes").get();
  await expect.poll(left).toEqual({ n: 0 });
  reader.close();
  await store.close();
});

test("one step indexes few messages if they are long, and at least one, so that nobody waits long", async () => {
  const engine = sqliteEngine(":memory:");
  const store = createSqlStore(engine, {});
  const chat = (name: string, size: number) => ({
    messages: Array.from({ length: 10 }, (_, n) => ({
      hash: `${name} ${n}`,
      role: "user" as const,
      wire: JSON.stringify({ role: "user", content: `${name} ${"word ".repeat(size)}` }),
      at: 1,
    })),
    at: 1,
  });
  await store.conversations.append("t", chat("short", 1));
  await store.conversations.append("t", chat("long", 4_000));
  await store.conversations.append("t", chat("huge", 20_000));
  const steps: number[] = [];
  for (let isMore = true, before = 0; isMore; ) {
    isMore = await engine.transact(indexSome(engine, 50, "t"));
    const [sum] = await engine.read(
      rows<{ n: number }>("select sum(indexed) as n from precis_conversations"),
    );
    steps.push(sum!.n - before);
    before = sum!.n;
  }
  // 20 KB each: three at a time, the first ones together with all short ones. Then those of 100 KB one by one.
  expect(steps).toEqual([13, 3, 3, 1, ...Array<number>(10).fill(1)]);
  await store.close();
});
