import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { AppendCall } from "../shared/plan-append.ts";
import { sqliteStore } from "../sqlite.ts";
import { startWriter, type Writer } from "./start-writer.ts";
import { createTurns, type Turns } from "./turns.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-writer-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const AT = 1_700_000_000_000;
const callOf = (id: string, messages: number, text = "word"): AppendCall => ({
  tenant: "default",
  id,
  input: {
    isNew: true,
    messages: Array.from({ length: messages }, (_, n) => ({
      hash: `${id}-${n}`,
      role: "user" as const,
      wire: JSON.stringify({ role: "user", content: text }),
      tokens: 1,
      at: AT,
    })),
    at: AT,
  },
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function withWriter(
  name: string,
  work: (writer: Writer, turns: Turns) => Promise<void>,
): Promise<void> {
  const path = join(dir, name);
  const store = sqliteStore({ path });
  await store.ready();
  await store.close();
  const turns = createTurns();
  const writer = startWriter({ path, durability: "process" }, turns);
  try {
    await work(writer, turns);
  } finally {
    await writer.close();
  }
}

test("the first append of a server is one of thousands of messages: the thread writes it, not the event loop", async () => {
  await withWriter("many.db", async (writer) => {
    expect(await writer.append(callOf("a", 20_000))).toMatchObject({ conversation: "a", added: 20_000 });
  });
});

test("the first append of a server is one long text: the thread writes it, not the event loop", async () => {
  await withWriter("text.db", async (writer) => {
    expect(await writer.append(callOf("a", 1, "words ".repeat(200_000)))).toMatchObject({ added: 1 });
  });
});

test("what comes behind a long one that waits for the thread is written behind it", async () => {
  await withWriter("behind.db", async (writer) => {
    const long = writer.append(callOf("a", 300));
    const { input, ...next } = callOf("b", 1);
    const behind = writer.append({
      ...next,
      input: { messages: input.messages, at: AT, conversation: "a", after: "a-299" },
    });
    expect(await long).toMatchObject({ length: 300 });
    expect(await behind).toMatchObject({ conversation: "a", length: 301 });
  });
});

test("a few short appends start no thread", async () => {
  await withWriter("short.db", async (writer) => {
    expect(await writer.append(callOf("a", 2))).toBeUndefined();
    expect(writer.emptyLog()).toBeUndefined();
  });
});

test("once the thread runs it writes what comes at the same time; a short append that comes alone is left to the process", async () => {
  await withWriter("alone.db", async (writer) => {
    expect(await writer.append(callOf("first", 300))).toBeDefined();
    expect(await writer.emptyLog()).toBe(true);
    await turn();
    expect(await writer.append(callOf("alone", 2))).toBeUndefined();
    await turn();
    expect(await writer.append(callOf("longer", 100))).toMatchObject({ added: 100 });
    await turn();
    const [left, taken] = await Promise.all([
      writer.append(callOf("one", 2)),
      writer.append(callOf("two", 2)),
    ]);
    expect(left).toBeUndefined();
    expect(taken).toMatchObject({ conversation: "two" });
    let calm = 0;
    for (; calm < 100; calm++) {
      await turn();
      if (!(await writer.append(callOf(`after-${calm}`, 1)))) break;
    }
    expect(calm).toBeGreaterThan(0);
    expect(calm).toBeLessThan(100);
  });
});

test("while the thread takes over the log the process writes short appends itself; long ones and what follows them wait", async () => {
  await withWriter("log.db", async (writer) => {
    expect(await writer.takeOverLog()).toBe(false);
    expect(await writer.append(callOf("first", 300))).toBeDefined();
    await turn();
    const order: string[] = [];
    const noted = <T>(name: string, work: Promise<T>) =>
      work.finally(() => {
        order.push(name);
      });
    const takenOver = noted("taken over", writer.takeOverLog());
    await Promise.resolve();
    const [short, another, long, behind] = await Promise.all([
      noted("short", writer.append(callOf("short", 1))),
      noted("another", writer.append(callOf("another", 1))),
      noted("long", writer.append(callOf("long", 300))),
      noted("behind", writer.append(callOf("behind", 1))),
    ]);
    expect(await takenOver).toBe(true);
    expect([short, another]).toEqual([undefined, undefined]);
    expect(long).toMatchObject({ added: 300 });
    expect(behind).toMatchObject({ added: 1 });
    expect(order).toEqual(["short", "another", "taken over", "long", "behind"]);
  });
});

test("what waits for the thread when it begins to take over the log is left to the process, and the log is emptied behind it", async () => {
  await withWriter("queued.db", async (writer, turns) => {
    expect(await writer.append(callOf("first", 300))).toBeDefined();
    await turns.take();
    const takenOver = writer.takeOverLog();
    const waits = writer.append(callOf("waits", 100));
    turns.give();
    expect(await waits).toBeUndefined();
    await turns.take();
    expect(await writer.emptyLog()).toBe(true);
    turns.give();
    expect(await takenOver).toBe(true);
  });
});

test("a thread that can't start leaves a long append to the process", async () => {
  const writer = startWriter(
    { path: join(dir, "no", "such", "folder.db"), durability: "process" },
    createTurns(),
  );
  expect(await writer.append(callOf("a", 300))).toBeUndefined();
  expect(await writer.append(callOf("b", 1))).toBeUndefined();
  await writer.close();
});
