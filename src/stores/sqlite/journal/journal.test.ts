import {
  appendFileSync,
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
import { afterAll, expect, test, vi } from "vitest";
import { StoreError } from "../../../core/errors.ts";
import type { Append, ServerStore } from "../../server-store.ts";
import { sqliteStore } from "../../sqlite.ts";
import { type JournalRecord, writeRecords } from "./journal-record.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-journal-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A copy: the next one would overwrite it. */
const writeRecord = (record: JournalRecord) => Buffer.from(writeRecords([record]));

const TENANT = "default";
const AT = 1_700_000_000_000;
let files = 0;

/** A file, the folder of its journals, and stores on it as several processes would have them. */
function place() {
  const path = join(dir, `${++files}.db`);
  const stores: ServerStore[] = [];
  return {
    path,
    folder: `${path}-journals`,
    journals: () => (existsSync(`${path}-journals`) ? readdirSync(`${path}-journals`) : []),
    open() {
      const store = sqliteStore({ path });
      stores.push(store);
      return store;
    },
    close: () => Promise.all(stores.map((store) => store.close())),
  };
}

const message = (name: string, role: "user" | "assistant" = "user") => ({
  hash: `hash of ${name}`,
  role,
  wire: JSON.stringify({ role, content: name }),
  tokens: 3,
  at: AT,
});
const first = (...names: string[]): Append => ({ messages: names.map((name) => message(name)), at: AT });
const next = (conversation: string, after: string, ...names: string[]): Append => ({
  conversation,
  after: `hash of ${after}`,
  messages: names.map((name) => message(name)),
  at: AT,
});
const wordsOf = async (store: ServerStore, id: string) =>
  (await store.conversations.read(TENANT, id)).map(
    ({ wire }) => (JSON.parse(wire) as { content: string }).content,
  );
const everything = async (store: ServerStore) => {
  const { conversations } = await store.conversations.list(TENANT);
  return (await Promise.all(conversations.map(({ id }) => wordsOf(store, id)))).sort();
};

test("what was acknowledged is there for another process at once, and the journal is gone when its owner closes", async () => {
  const { open, journals, close, folder } = place();
  const [one, other] = [open(), open()];
  const { conversation } = await one.conversations.append(TENANT, first("a", "b"));
  await one.conversations.append(TENANT, next(conversation, "b", "c"));
  expect(journals()).toHaveLength(1);
  expect(await wordsOf(other, conversation)).toEqual(["a", "b", "c"]);
  expect(await other.conversations.find(TENANT, ["hash of a", "hash of b", "hash of c"])).toMatchObject({
    matched: 3,
  });
  await close();
  expect(existsSync(folder)).toBe(false);
});

test("two processes that go on after the same message make a fork, and each goes on with its own", async () => {
  const { open, close } = place();
  const [one, other] = [open(), open()];
  const { conversation } = await one.conversations.append(TENANT, first("a"));
  const of = { one: conversation, other: conversation };
  const go = async (who: "one" | "other", after: string, name: string) => {
    const store = who === "one" ? one : other;
    const appended = await store.conversations.append(TENANT, next(of[who], after, name));
    of[who] = appended.conversation;
  };
  // Both know where it ends before either goes on by itself.
  await go("other", "a", "b");
  await go("other", "b", "c");
  await go("one", "c", "d");
  await go("one", "d", "e");
  await go("other", "c", "D");
  await go("one", "e", "f");
  await go("other", "D", "E");
  await go("other", "E", "F");
  expect(await everything(one)).toEqual([
    ["a", "b", "c", "D", "E", "F"],
    ["a", "b", "c", "d", "e", "f"],
  ]);
  expect(await everything(other)).toEqual(await everything(one));
  await close();
});

test("a conversation that another process deleted isn't appended to", async () => {
  const { open, close } = place();
  const [one, other] = [open(), open()];
  const { conversation } = await one.conversations.append(TENANT, first("a"));
  await one.conversations.append(TENANT, next(conversation, "a", "b"));
  expect(await other.conversations.delete(TENANT, conversation)).toBe(true);
  await expect(one.conversations.append(TENANT, next(conversation, "b", "c"))).rejects.toBeInstanceOf(
    StoreError,
  );
  expect(await everything(one)).toEqual([]);
  await close();
});

test("words of a deleted conversation stand in no journal", async () => {
  const { open, close, folder, journals } = place();
  const store = open();
  const { conversation } = await store.conversations.append(TENANT, first("xylophone"));
  expect(readFileSync(join(folder, journals()[0]!), "utf8")).toContain("xylophone");
  await store.conversations.delete(TENANT, conversation);
  for (const name of journals()) expect(readFileSync(join(folder, name), "utf8")).not.toContain("xylophone");
  await close();
});

test("messages of a conversation that is gone find a place all the same", async () => {
  const { open, close, folder, journals } = place();
  const store = open();
  await store.conversations.append(TENANT, first("a"));
  // As another process would have written it just before the conversation was deleted.
  const call = { tenant: TENANT, id: "made-elsewhere", input: next("no-such-conversation", "x", "y") };
  appendFileSync(join(folder, journals()[0]!), writeRecord({ call, position: 4 }));
  expect(await everything(store)).toEqual([["a"], ["y"]]);
  await close();
});

test("half a record at the end is left alone, and what stands before it is there", async () => {
  const { open, close, folder, journals } = place();
  const store = open();
  await store.conversations.append(TENANT, first("a"));
  const call = { tenant: TENANT, id: "made-elsewhere", input: first("b") };
  const bytes = writeRecord({ call, position: 0 });
  const path = join(folder, journals()[0]!.replace(/^./, "f"));
  writeFileSync(path, Buffer.concat([bytes, bytes.subarray(0, 30)]));
  expect(await everything(store)).toEqual([["a"], ["b"]]);
  expect(await everything(store)).toEqual([["a"], ["b"]]);
  await close();
});

test("a damaged journal is set aside with a warning; nothing else suffers", async () => {
  const { open, close, folder, journals } = place();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const store = open();
  await store.conversations.append(TENANT, first("a"));
  const call = { tenant: TENANT, id: "made-elsewhere", input: first("b") };
  writeFileSync(
    join(folder, "0.journal"),
    Buffer.concat([writeRecord({ call, position: 0 }), Buffer.alloc(100)]),
  );
  expect(await everything(store)).toEqual([["a"], ["b"]]);
  expect(journals()).toContain("0.journal.damaged");
  expect(String(warned.mock.calls[0]?.[0])).toContain("0.journal.damaged");
  await store.conversations.append(TENANT, first("c"));
  expect(await everything(store)).toEqual([["a"], ["b"], ["c"]]);
  warned.mockRestore();
  await close();
});

test("a record that no table takes is kept aside, and those around it are stored", async () => {
  const { open, close, folder, journals } = place();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const store = open();
  await store.conversations.append(TENANT, first("a"));
  const bad = { messages: [{ ...message("b"), role: null as never }], at: AT };
  const records = [first("x"), bad, first("y")].map((input, n) =>
    writeRecord({ call: { tenant: TENANT, id: `made-elsewhere-${n}`, input }, position: 0 }),
  );
  writeFileSync(join(folder, "0.journal"), Buffer.concat(records));
  expect(await everything(store)).toEqual([["a"], ["x"], ["y"]]);
  const refused = journals().find((name) => name.endsWith(".refused.json"));
  expect(readFileSync(join(folder, refused!), "utf8")).toContain("hash of b");
  expect(String(warned.mock.calls[0]?.[0])).toContain("set aside");
  warned.mockRestore();
  await close();
});

test("of many records that are written together, only the one that no table takes is missing", async () => {
  const { open, close, folder, journals } = place();
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const store = open();
  await store.ready();
  const names = Array.from({ length: 100 }, (_, n) => `m${n}`);
  const records = names.map((name, n) => {
    const role = n === 50 ? (null as never) : ("user" as const);
    const input = { messages: [{ ...message(name), role }], at: AT };
    return writeRecord({ call: { tenant: TENANT, id: name, input }, position: 0 });
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "0.journal"), Buffer.concat(records));
  for (const name of names.filter((_, n) => n !== 50))
    expect(await wordsOf(store, name), name).toEqual([name]);
  const { counts } = await store.upkeep.stats();
  expect(counts).toMatchObject({ conversations: 99, messages: 99 });
  const refused = journals().filter((name) => name.endsWith(".refused.json"));
  expect(refused).toHaveLength(1);
  expect(readFileSync(join(folder, refused[0]!), "utf8")).toContain("hash of m50");
  warned.mockRestore();
  await close();
});

test("without a journal appends go into the tables, with one again when that is possible", async () => {
  const { open, close, folder, journals } = place();
  const store = open();
  await store.ready();
  writeFileSync(folder, "in the way");
  const { conversation } = await store.conversations.append(TENANT, first("a"));
  await store.conversations.append(TENANT, next(conversation, "a", "b"));
  expect(await wordsOf(store, conversation)).toEqual(["a", "b"]);
  rmSync(folder);
  await store.conversations.append(TENANT, next(conversation, "b", "c"));
  expect(journals()).toHaveLength(1);
  expect(await wordsOf(store, conversation)).toEqual(["a", "b", "c"]);
  await close();
});

test("a record of many megabytes among small ones", async () => {
  const { open, close } = place();
  const store = open();
  const long = "long ".repeat(2_000_000);
  const { conversation } = await store.conversations.append(TENANT, first("a", long, "b"));
  await store.conversations.append(TENANT, next(conversation, "b", "c"));
  expect(await wordsOf(store, conversation)).toEqual(["a", long, "b", "c"]);
  await close();
});

test("a clock that was set back doesn't change the order in which journals are taken over", async () => {
  const { open, journals, close } = place();
  const clock = vi.spyOn(Date, "now");
  try {
    const one = open();
    await one.ready();
    let conversation = "";
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const [at, name] of names.entries()) {
      // Each time more than a minute earlier, so that the next message begins a journal of its own.
      clock.mockReturnValue(AT - at * 3_600_000);
      ({ conversation } = await one.conversations.append(
        TENANT,
        at === 0 ? first(name) : next(conversation, names[at - 1]!, name),
      ));
    }
    expect(journals().length).toBeGreaterThan(2);
    expect(await wordsOf(one, conversation)).toEqual(names);
  } finally {
    clock.mockRestore();
    await close();
  }
});
