import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StoreError } from "../core/errors.ts";
import type { Checkpoint, Summary, Undo } from "../core/types.ts";
import type { Append, FindQuery, NewMessage, ServerStore } from "../stores/server-store.ts";

/** What `describeStore` takes. */
export interface StoreContract {
  readonly name: string;
  /** Opens an empty store with the clock and the ids that it is given. Called once for each case. */
  open(effects: { readonly now: () => number }): Promise<ServerStore> | ServerStore;
  /** False for a store that uses the database's clock for leases, so that they can't be tested by moving ours. */
  readonly ownClock?: boolean;
}

const START = 1_700_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A transcript with made-up chain hashes: message i of `path` hashes like every other that begins the same. */
export function storedTranscript(...path: readonly string[]): NewMessage[] {
  return path.map((text, i) => ({
    hash: `h:${path.slice(0, i + 1).join("/")}`,
    role: i % 2 === 0 ? "user" : "assistant",
    wire: JSON.stringify({ role: i % 2 === 0 ? "user" : "assistant", content: text }),
    tokens: text.length,
    at: START + i,
  }));
}

const hashesOf = (messages: readonly NewMessage[]) => messages.map((message) => message.hash);

function checkpoint(id: string, hash: string): Checkpoint {
  return {
    id,
    hash,
    length: 2,
    dialect: "openai-chat",
    strategy: "summarize-oldest",
    budget: 1_000,
    entries: [{ type: "keep", from: 0, to: 2 }],
    texts: { a: "line\nbreak \u0000 \ud83d\ude00 \ud800" },
    at: START,
    reason: "pressure",
    rung: "extractive",
    tokens: { before: 10, after: 5 },
    sealed: 0,
    seen: { messages: 2, turns: 1 },
  };
}

function summary(key: string, hash: string, text = "all of it"): Summary {
  return {
    key,
    hash,
    text,
    covers: { from: 0, to: 2 },
    level: 0,
    prompt: "agent/1",
    model: "m",
    author: "model",
    tokens: { source: 10, text: 3 },
    at: START,
    proof: "p",
  };
}

const undo = (id: string): Undo => ({ checkpoint: id, at: START, pressure: 0.5 });

/** The suite that every server store passes. Run it on your own. */
export function describeStore({ name, open, ownClock = true }: StoreContract): void {
  describe(`store contract: ${name}`, () => {
    let store: ServerStore;
    let now = START;
    let count = 0;
    /** Tenants of their own for each case, because opening a database for each would take long. */
    const tenants = () => {
      count += 1;
      return [`tenant-${count}`, `other-${count}`] as const;
    };
    const add = (tenant: string, input: Partial<Append> & Pick<Append, "messages">) =>
      store.conversations.append(tenant, { at: now, ...input });

    beforeAll(async () => {
      store = await open({ now: () => now });
      await store.ready();
    });
    afterAll(() => store?.close());

    describe("records", () => {
      it("finds by hash what was saved, and nothing else", async () => {
        const [tenant] = tenants();
        const records = store.records(tenant);
        expect(await records.find(["a"])).toEqual({ checkpoints: [], summaries: [], undos: [] });
        await records.save({ checkpoints: [checkpoint("c1", "a"), checkpoint("c2", "b")] });
        await records.save({ summaries: [summary("s1", "a")], undos: [undo("c1")] });
        expect(await records.find(["a", "z"])).toEqual({
          checkpoints: [checkpoint("c1", "a")],
          summaries: [summary("s1", "a")],
          undos: [undo("c1")],
        });
        expect((await records.find(["b"])).undos).toEqual([]);
        expect(await records.find([])).toEqual({ checkpoints: [], summaries: [], undos: [] });
      });

      it("keeps one of what is saved twice, and the newest of what was changed", async () => {
        const [tenant] = tenants();
        const records = store.records(tenant);
        await records.save({ checkpoints: [checkpoint("c", "a")], summaries: [summary("s", "a", "old")] });
        await records.save({ checkpoints: [checkpoint("c", "a")], summaries: [summary("s", "a", "new")] });
        const found = await records.find(["a"]);
        expect(found.checkpoints).toHaveLength(1);
        expect(found.summaries.map((one) => one.text)).toEqual(["new"]);
      });

      it("looks up thousands of hashes at once", async () => {
        const [tenant] = tenants();
        const records = store.records(tenant);
        await records.save({ summaries: [summary("s", "n69999")] });
        const hashes = Array.from({ length: 70_000 }, (_, i) => `n${i}`);
        expect((await records.find(hashes)).summaries).toHaveLength(1);
      });

      it("shows a tenant nothing of another, and lets none change another's", async () => {
        const [tenant, other] = tenants();
        await store.records(tenant).save({
          checkpoints: [checkpoint("c", "a")],
          summaries: [summary("s", "a", "mine")],
          undos: [],
        });
        expect(await store.records(other).find(["a"])).toEqual({ checkpoints: [], summaries: [], undos: [] });
        await store.records(other).save({ summaries: [summary("s", "a", "poison")], undos: [undo("c")] });
        const found = await store.records(tenant).find(["a"]);
        expect(found.summaries.map((one) => one.text)).toEqual(["mine"]);
        expect(found.undos).toEqual([]);
      });

      it("is the engine's store itself", async () => {
        await store.save({ summaries: [summary("own", "own-hash")] });
        expect((await store.find(["own-hash"])).summaries).toHaveLength(1);
      });
    });

    describe("conversations", () => {
      it("gives back the very same text of every message", async () => {
        const [tenant] = tenants();
        const wire = [
          '{"role":"user","content":"1.0 \\u0000 \\ud800 😀","n":1.0,"n":2}',
          '{ "role":"assistant" , "content":null}',
        ];
        const messages = wire.map(
          (text, i): NewMessage => ({ hash: `w${i}`, role: "user", wire: text, at: 1 }),
        );
        const { conversation } = await add(tenant, { messages, head: '["be brief"]' });
        const read = await store.conversations.read(tenant, conversation);
        expect(read.map((message) => message.wire)).toEqual(wire);
        expect(read[0]).not.toHaveProperty("tokens");
        expect(await store.conversations.head(tenant, conversation)).toBe('["be brief"]');
      });

      it("keeps the newest head, and none that nobody has any more", async () => {
        const [tenant] = tenants();
        const messages = storedTranscript("a");
        const { conversation } = await add(tenant, { messages, head: '"at noon"' });
        await add(tenant, { conversation, messages, head: '"at one"' });
        expect(await store.conversations.head(tenant, conversation)).toBe('"at one"');
        const { conversation: other } = await add(tenant, {
          messages: storedTranscript("b"),
          head: '"at one"',
        });
        await add(tenant, { conversation, messages, head: '"at two"' });
        expect(await store.conversations.head(tenant, other)).toBe('"at one"');
        expect((await store.upkeep.stats(tenant)).counts.bodies).toBe(4);
      });

      it("takes fractions of tokens and milliseconds", async () => {
        const [tenant] = tenants();
        const messages = storedTranscript("a").map((message) => ({ ...message, tokens: 1.6, at: 5.4 }));
        const { conversation } = await add(tenant, { messages, at: 5.4, ttlMs: 10.2 });
        expect(await store.conversations.get(tenant, conversation)).toMatchObject({
          tokens: 2,
          expiresAt: 15,
        });
        expect(await store.conversations.read(tenant, conversation)).toMatchObject([{ tokens: 2, at: 5 }]);
        await store.events.append(tenant, { type: "x", at: 1.5, data: 1 });
        await store.leases.acquire(tenant, "l", "o", 0.5);
      });

      it("stores a message once however often it is sent", async () => {
        const [tenant] = tenants();
        const all = storedTranscript("hi", "hello", "more", "yes");
        const first = await add(tenant, { messages: all.slice(0, 2) });
        expect(first).toMatchObject({ added: 2, length: 2, forkOf: undefined });
        const { conversation } = first;
        expect(await add(tenant, { conversation, messages: all.slice(0, 2) })).toMatchObject({ added: 0 });
        expect(await add(tenant, { conversation, messages: all })).toMatchObject({ added: 2, length: 4 });
        const after = all[1]!.hash;
        expect(await add(tenant, { conversation, after, messages: all.slice(2) })).toMatchObject({
          conversation,
          added: 0,
          length: 4,
        });
        expect(hashesOf(await store.conversations.read(tenant, conversation))).toEqual(hashesOf(all));
        const { counts } = await store.upkeep.stats(tenant);
        expect(counts).toMatchObject({ conversations: 1, messages: 4, bodies: 4 });
        expect(await store.conversations.get(tenant, conversation)).toMatchObject({ length: 4, tokens: 14 });
      });

      it("finds a conversation by the longest prefix of its transcript", async () => {
        const [tenant, other] = tenants();
        const all = storedTranscript(...Array.from({ length: 100 }, (_, i) => `m${i}`));
        const { conversation } = await add(tenant, { messages: all });
        const { find } = store.conversations;
        expect(await find(tenant, hashesOf(all))).toMatchObject({
          matched: 100,
          conversation: { id: conversation },
        });
        expect(await find(tenant, [...hashesOf(all), "new"])).toMatchObject({ matched: 100 });
        // The difference is further back than what is looked up first.
        const edited = hashesOf(all).map((hash, i) => (i < 10 ? hash : `${hash}'`));
        expect(await find(tenant, edited)).toMatchObject({ matched: 10 });
        expect(await find(tenant, ["unknown"])).toBeUndefined();
        expect(await find(tenant, [])).toBeUndefined();
        expect(await find(other, hashesOf(all))).toBeUndefined();
      });

      it("forks where a transcript departs, and shares the texts before", async () => {
        const [tenant] = tenants();
        const first = storedTranscript("hi", "hello", "why", "so");
        const second = storedTranscript("hi", "hello", "how", "thus");
        const origin = await add(tenant, { messages: first, session: "s", title: "Chat" });
        await store.citations.register(tenant, origin.conversation, [{ source: "a.md" }]);
        now += 10;
        const fork = await add(tenant, { conversation: origin.conversation, messages: second });
        expect(fork).toMatchObject({ forkOf: origin.conversation, added: 2, length: 4 });
        expect(fork.conversation).not.toBe(origin.conversation);
        const { conversations } = store;
        expect(hashesOf(await conversations.read(tenant, fork.conversation))).toEqual(hashesOf(second));
        expect(hashesOf(await conversations.read(tenant, origin.conversation))).toEqual(hashesOf(first));
        expect(await conversations.get(tenant, fork.conversation)).toMatchObject({
          fork: { of: origin.conversation, length: 2 },
          session: "s",
          title: "Chat",
          tokens: 14,
        });
        expect((await store.upkeep.stats(tenant)).counts).toMatchObject({ messages: 8, bodies: 6 });
        expect(await store.citations.list(tenant, fork.conversation)).toEqual([
          { number: 1, source: "a.md" },
        ]);
        // The session goes on with the newest branch, and each branch is found by its own messages.
        expect((await conversations.findSession(tenant, "s"))?.id).toBe(fork.conversation);
        expect((await conversations.find(tenant, hashesOf(first)))?.conversation.id).toBe(
          origin.conversation,
        );
        const more = { ...storedTranscript("hi", "hello", "why", "so", "more")[4]! };
        expect(await add(tenant, { session: "s", after: first[3]!.hash, messages: [more] })).toMatchObject({
          conversation: origin.conversation,
          length: 5,
        });
      });

      it("takes chats that begin with the same words for two chats", async () => {
        const [tenant] = tenants();
        const one = await add(tenant, {
          messages: storedTranscript("hi", "hello"),
          title: "One",
          session: "s1",
        });
        const [hi] = storedTranscript("hi");
        const two = await add(tenant, {
          conversation: one.conversation,
          after: hi!.hash,
          messages: storedTranscript("hi", "good day").slice(1),
        });
        expect(two.forkOf).toBeUndefined();
        expect(await store.conversations.get(tenant, two.conversation)).toMatchObject({
          fork: undefined,
          session: undefined,
          title: "",
        });
      });

      it("prefers the conversation that ends where the transcript does", async () => {
        const [tenant] = tenants();
        const long = await add(tenant, { messages: storedTranscript("a", "b", "c") });
        const short = await add(tenant, { messages: storedTranscript("a", "b") });
        now += 10;
        await add(tenant, {
          conversation: long.conversation,
          messages: storedTranscript("a", "b", "c", "d"),
        });
        const found = await store.conversations.find(tenant, hashesOf(storedTranscript("a", "b", "x")));
        expect(found?.conversation.id).toBe(short.conversation);
      });

      it("finds the conversation that nobody asked for by name, where the request has no name", async () => {
        const [tenant] = tenants();
        const { find } = store.conversations;
        const short = storedTranscript("a", "b");
        const long = storedTranscript("a", "b", "c", "d");
        const unnamed = await add(tenant, { session: "made-up", messages: short });
        now += 10;
        const named = await add(tenant, { session: "mine", named: true, isNew: true, messages: short });
        const idOf = async (messages: readonly NewMessage[], query?: FindQuery) =>
          (await find(tenant, hashesOf(messages), query))?.conversation.id;
        // The newest of two with the same messages, unless it is said which of them is meant.
        expect(await idOf(short)).toBe(named.conversation);
        expect(await idOf(short, { prefer: "unnamed" })).toBe(unnamed.conversation);
        // Also where the named one has gone on further with the very same words.
        await add(tenant, { conversation: named.conversation, messages: long });
        expect(await find(tenant, hashesOf(long), { prefer: "unnamed" })).toMatchObject({
          conversation: { id: unnamed.conversation, named: false },
          matched: 2,
        });
        // Not where the unnamed one went on otherwise: the named one is the only one with these words.
        await add(tenant, {
          conversation: unnamed.conversation,
          messages: storedTranscript("a", "b", "other", "way"),
        });
        expect(await find(tenant, hashesOf(long), { prefer: "unnamed" })).toMatchObject({
          conversation: { id: named.conversation, named: true },
          matched: 4,
        });
      });

      it("finds the unnamed conversation also where it ends long before the named one", async () => {
        const [tenant] = tenants();
        const all = storedTranscript(...Array.from({ length: 80 }, (_, i) => `long ${i}`));
        const unnamed = await add(tenant, { messages: all.slice(0, 4) });
        await add(tenant, { session: "mine", named: true, messages: all });
        expect(await store.conversations.find(tenant, hashesOf(all), { prefer: "unnamed" })).toMatchObject({
          conversation: { id: unnamed.conversation },
          matched: 4,
        });
      });

      it("finds only conversations of a session when it is asked to", async () => {
        const [tenant] = tenants();
        const first = storedTranscript("a", "b", "c", "d");
        const origin = await add(tenant, { session: "mine", named: true, messages: first });
        now += 10;
        const fork = await add(tenant, {
          conversation: origin.conversation,
          messages: storedTranscript("a", "b", "x", "y"),
        });
        now += 10;
        await add(tenant, { session: "theirs", messages: first });
        const { find } = store.conversations;
        expect((await find(tenant, hashesOf(first), { session: "mine" }))?.conversation.id).toBe(
          origin.conversation,
        );
        const shared = await find(tenant, hashesOf(first).slice(0, 2), { session: "mine" });
        expect(shared).toMatchObject({ conversation: { id: fork.conversation }, matched: 2 });
        expect(await find(tenant, hashesOf(first), { session: "nobody's" })).toBeUndefined();
      });

      it("remembers that a name was asked for, from then on and in forks", async () => {
        const [tenant] = tenants();
        const { get } = store.conversations;
        const messages = storedTranscript("a", "b", "c", "d");
        const { conversation } = await add(tenant, { session: "s", messages: messages.slice(0, 2) });
        expect(await get(tenant, conversation)).toMatchObject({ named: false });
        await add(tenant, { conversation, session: "s", named: true, messages });
        expect(await get(tenant, conversation)).toMatchObject({ named: true });
        await add(tenant, {
          conversation,
          session: "s",
          messages: storedTranscript("a", "b", "c", "d", "e"),
        });
        expect(await get(tenant, conversation)).toMatchObject({ named: true });
        const fork = await add(tenant, { conversation, messages: storedTranscript("a", "b", "x") });
        expect(await get(tenant, fork.conversation)).toMatchObject({ session: "s", named: true });
        const apart = await add(tenant, {
          conversation,
          session: "made-up",
          messages: storedTranscript("a", "b", "y"),
        });
        expect(await get(tenant, apart.conversation)).toMatchObject({ session: "made-up", named: false });
      });

      it("makes one more conversation of a session when it is said to be new", async () => {
        const [tenant] = tenants();
        const messages = storedTranscript("twice");
        const first = await add(tenant, { session: "same", messages });
        const second = await add(tenant, { session: "same", isNew: true, messages });
        expect(second.conversation).not.toBe(first.conversation);
        expect(second).toMatchObject({ forkOf: undefined, added: messages.length, length: messages.length });
        expect((await store.conversations.get(tenant, first.conversation))?.length).toBe(messages.length);
      });

      it("makes one conversation of a session whose first requests come at once", async () => {
        const [tenant] = tenants();
        const messages = storedTranscript("hi");
        const all = await Promise.all(
          Array.from({ length: 8 }, () => add(tenant, { session: "same", messages })),
        );
        expect(new Set(all.map((one) => one.conversation)).size).toBe(1);
        expect(all.reduce((sum, one) => sum + one.added, 0)).toBe(1);
      });

      it("loses nothing of appends that come at once", async () => {
        const [tenant] = tenants();
        const base = storedTranscript("hi", "hello");
        const { conversation } = await add(tenant, { messages: base });
        const branches = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            add(tenant, {
              conversation,
              after: base[1]!.hash,
              messages: storedTranscript("hi", "hello", `q${i}`).slice(2),
            }),
          ),
        );
        expect(new Set(branches.map((one) => one.conversation)).size).toBe(10);
        for (const [i, branch] of branches.entries()) {
          const read = await store.conversations.read(tenant, branch.conversation);
          expect(hashesOf(read)).toEqual(hashesOf(storedTranscript("hi", "hello", `q${i}`)));
        }
      });

      it("reads a range", async () => {
        const [tenant, other] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a", "b", "c", "d") });
        const positions = async (range: { from?: number; to?: number }) =>
          (await store.conversations.read(tenant, conversation, range)).map((message) => message.position);
        expect(await positions({ from: 1, to: 3 })).toEqual([1, 2]);
        expect(await positions({ from: 3 })).toEqual([3]);
        expect(await store.conversations.read(other, conversation)).toEqual([]);
        expect(await store.conversations.get(other, conversation)).toBeUndefined();
        expect(await store.conversations.head(other, conversation)).toBeUndefined();
      });

      it("lists the conversations of one session", async () => {
        const [tenant, other] = tenants();
        const origin = await add(tenant, { session: "s", messages: storedTranscript("a", "b", "c") });
        now += 1;
        const fork = await add(tenant, {
          conversation: origin.conversation,
          messages: storedTranscript("a", "b", "x"),
        });
        await add(tenant, { session: "other", messages: storedTranscript("z") });
        await add(other, { session: "s", messages: storedTranscript("a") });
        const { conversations } = await store.conversations.list(tenant, { session: "s" });
        expect(conversations.map(({ id }) => id)).toEqual([fork.conversation, origin.conversation]);
        expect((await store.conversations.list(tenant, { session: "none" })).conversations).toEqual([]);
      });

      it("lists pinned ones first, then the newest, in pages", async () => {
        const [tenant, other] = tenants();
        const ids: string[] = [];
        for (let i = 0; i < 7; i++) {
          now += 1;
          ids.push(
            (await add(tenant, { messages: storedTranscript(`m${i}`), title: `Chat ${i}` })).conversation,
          );
        }
        await store.conversations.update(tenant, ids[1]!, { pinned: true });
        await store.conversations.update(tenant, ids[2]!, { archived: true });
        const titles: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.conversations.list(tenant, { limit: 2, ...(cursor && { cursor }) });
          expect(page.conversations.length).toBeLessThanOrEqual(2);
          titles.push(...page.conversations.map((one) => one.title));
          cursor = page.next;
        } while (cursor !== undefined);
        expect(titles).toEqual(["Chat 1", "Chat 6", "Chat 5", "Chat 4", "Chat 3", "Chat 0"]);
        const only = await store.conversations.list(tenant, { archived: "only" });
        expect(only.conversations.map((one) => one.title)).toEqual(["Chat 2"]);
        expect((await store.conversations.list(tenant, { archived: "all" })).conversations).toHaveLength(7);
        expect((await store.conversations.list(other)).conversations).toEqual([]);
        await expect(store.conversations.list(tenant, { cursor: "nonsense" })).rejects.toThrow(/first page/);
      });

      it("searches titles in any case, and takes signs as they are", async () => {
        const [tenant] = tenants();
        for (const title of ["Übung 100%", "uebung 100 x", "snake_case", "snakeXcase", "back\\slash"])
          await add(tenant, { messages: storedTranscript(title), title });
        const search = async (text: string) =>
          (await store.conversations.list(tenant, { search: text })).conversations.map((one) => one.title);
        expect(await search("üBUNG")).toEqual(["Übung 100%"]);
        expect(await search("100%")).toEqual(["Übung 100%"]);
        expect(await search("E_C")).toEqual(["snake_case"]);
        expect(await search("k\\s")).toEqual(["back\\slash"]);
        expect(await search("' or 1=1 --")).toEqual([]);
      });

      it("changes title, flags and the host's own data", async () => {
        const [tenant, other] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a") });
        const { update } = store.conversations;
        const changed = await update(tenant, conversation, {
          title: " New\n title \u0000\ud800",
          meta: { pins: [1] },
          expiresAt: now + 5,
        });
        expect(changed).toMatchObject({ title: "New title �", meta: { pins: [1] }, expiresAt: now + 5 });
        expect(await update(tenant, conversation, { meta: undefined, expiresAt: undefined })).toMatchObject({
          title: "New title �",
          meta: undefined,
          expiresAt: undefined,
        });
        expect(await update(tenant, conversation, {})).toMatchObject({ id: conversation });
        await expect(update(other, conversation, { title: "mine now" })).rejects.toThrow(StoreError);
      });

      it("refuses what it can't place", async () => {
        const [tenant, other] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a") });
        const messages = storedTranscript("a", "b");
        await expect(add(tenant, { conversation: "none", messages })).rejects.toThrow(/no conversation none/);
        await expect(add(other, { conversation, messages })).rejects.toThrow(/no conversation/);
        await expect(add(tenant, { conversation, after: "unknown", messages })).rejects.toThrow(
          /doesn't hold/,
        );
        await expect(add(tenant, { after: "unknown", messages })).rejects.toThrow(/doesn't hold/);
        await expect(add("", { messages })).rejects.toThrow(/tenant is empty/);
        await expect(add(tenant, { session: "x".repeat(300), messages })).rejects.toThrow(/300 characters/);
        await expect(add(tenant, { session: "a\u0000b", messages })).rejects.toThrow(/can't be stored/);
        // A failed write takes nothing of its neighbours along.
        const [bad, good] = await Promise.allSettled([
          add(tenant, { conversation: "none", messages }),
          add(tenant, { conversation, messages }),
        ]);
        expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
        expect(await store.conversations.read(tenant, conversation)).toHaveLength(2);
      });
    });

    describe("deleting a conversation", () => {
      it("removes it everywhere", async () => {
        const [tenant, other] = tenants();
        const messages = storedTranscript("hi", "hello");
        const { conversation } = await add(tenant, { messages, head: '"sys"', session: "s" });
        await store.events.append(tenant, { type: "compacted", conversation, at: now, data: {} });
        await store.citations.register(tenant, conversation, [{ source: "a" }]);
        const hash = messages[1]!.hash;
        await store.records(tenant).save({
          checkpoints: [checkpoint("c", hash)],
          summaries: [summary("s", hash)],
          undos: [undo("c")],
        });
        expect(await store.conversations.delete(other, conversation)).toBe(false);
        expect(await store.conversations.delete(tenant, conversation)).toBe(true);
        expect(await store.conversations.delete(tenant, conversation)).toBe(false);
        const { counts } = await store.upkeep.stats(tenant);
        expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(0);
        expect(await store.conversations.find(tenant, hashesOf(messages))).toBeUndefined();
        expect(await store.conversations.findSession(tenant, "s")).toBeUndefined();
        await expect(
          store.events.append(tenant, { type: "late", conversation, at: now, data: {} }),
        ).rejects.toThrow(/no conversation/);
        await expect(store.citations.register(tenant, conversation, [])).rejects.toThrow(/no conversation/);
      });

      it("isn't undone by a summary that was under way", async () => {
        const [tenant] = tenants();
        const messages = storedTranscript("hi", "hello");
        const { conversation } = await add(tenant, { messages });
        await store.conversations.delete(tenant, conversation);
        const records = store.records(tenant);
        const late = {
          checkpoints: [checkpoint("c", messages[1]!.hash)],
          summaries: [summary("s", messages[1]!.hash)],
        };
        await records.save(late);
        expect(await records.find(hashesOf(messages))).toEqual({ checkpoints: [], summaries: [], undos: [] });
        // The client still has the chat and goes on with it: it is a chat like any other.
        await add(tenant, { messages });
        await records.save(late);
        expect((await records.find(hashesOf(messages))).summaries).toHaveLength(1);
      });

      it("leaves what another conversation stands on", async () => {
        const [tenant] = tenants();
        const first = storedTranscript("hi", "hello", "why");
        const second = storedTranscript("hi", "hello", "how");
        const origin = await add(tenant, { messages: first, head: '"sys"' });
        const fork = await add(tenant, { conversation: origin.conversation, messages: second });
        const records = store.records(tenant);
        await records.save({
          summaries: [
            summary("shared", first[1]!.hash),
            summary("first", first[2]!.hash),
            summary("second", second[2]!.hash),
          ],
        });
        await store.conversations.delete(tenant, origin.conversation);
        const found = await records.find([...hashesOf(first), ...hashesOf(second)]);
        expect(found.summaries.map((one) => one.key).sort()).toEqual(["second", "shared"]);
        const read = await store.conversations.read(tenant, fork.conversation);
        expect(read.map((message) => message.wire)).toEqual(second.map((message) => message.wire));
        expect(await store.conversations.head(tenant, fork.conversation)).toBe('"sys"');
        expect((await store.conversations.get(tenant, fork.conversation))?.fork).toBeUndefined();
        expect((await store.upkeep.stats(tenant)).counts).toMatchObject({ messages: 3, bodies: 4 });
      });

      it("takes the forks along if asked to", async () => {
        const [tenant] = tenants();
        const origin = await add(tenant, { messages: storedTranscript("a", "b", "c") });
        const fork = await add(tenant, {
          conversation: origin.conversation,
          messages: storedTranscript("a", "b", "d", "e"),
        });
        await add(tenant, {
          conversation: fork.conversation,
          messages: storedTranscript("a", "b", "d", "f"),
        });
        await store.conversations.delete(tenant, origin.conversation, { forks: true });
        expect((await store.upkeep.stats(tenant)).counts).toMatchObject({
          conversations: 0,
          messages: 0,
          bodies: 0,
        });
      });

      it("may meet appends of the same texts at the same time", async () => {
        const [tenant] = tenants();
        for (let round = 0; round < 5; round++) {
          const messages = storedTranscript("same", "text");
          const { conversation } = await add(tenant, { messages });
          const [, appended] = await Promise.all([
            store.conversations.delete(tenant, conversation),
            ...Array.from({ length: 4 }, () => add(tenant, { messages })),
          ]);
          const read = await store.conversations.read(tenant, appended!.conversation);
          expect(read.map((message) => message.wire)).toEqual(messages.map((message) => message.wire));
        }
      });
    });

    describe("events", () => {
      it("numbers events upwards and goes on where a reader broke off", async () => {
        const [tenant, other] = tenants();
        const ids: number[] = [];
        for (const n of [1, 2, 3, 4])
          ids.push(await store.events.append(tenant, { type: "compacted", at: now, data: { n } }));
        expect(ids).toEqual([1, 2, 3, 4]);
        const after = await store.events.list(tenant, { after: 2 });
        expect(after.map((event) => event.data)).toEqual([{ n: 3 }, { n: 4 }]);
        expect(after[0]).toEqual({
          id: 3,
          type: "compacted",
          conversation: undefined,
          at: now,
          data: { n: 3 },
        });
        expect(
          (await store.events.list(tenant, { newest: true, limit: 2 })).map((event) => event.id),
        ).toEqual([3, 4]);
        expect((await store.events.list(tenant, { limit: 2 })).map((event) => event.id)).toEqual([1, 2]);
        expect(await store.events.list(other)).toEqual([]);
        expect(await store.events.append(other, { type: "x", at: now, data: null })).toBe(1);
        await expect(store.events.list(tenant, { after: Number.NaN })).rejects.toThrow(StoreError);
      });

      it("lists those of one conversation", async () => {
        const [tenant, other] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a") });
        await store.events.append(tenant, { type: "x", at: now, data: 1 });
        await store.events.append(tenant, { type: "y", conversation, at: now, data: 2 });
        expect((await store.events.list(tenant, { conversation })).map((event) => event.type)).toEqual(["y"]);
        await expect(
          store.events.append(other, { type: "y", conversation, at: now, data: 2 }),
        ).rejects.toThrow(/no conversation/);
      });

      it("shows ids in their order, so that a reader misses none", async () => {
        const [tenant] = tenants();
        const total = 60;
        let writing = true;
        const seen: number[] = [];
        const reader = (async () => {
          while (seen.length < total) {
            const stop = !writing;
            for (const event of await store.events.list(tenant, { after: seen.at(-1) ?? 0 }))
              seen.push(event.id);
            if (stop) break;
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
        await Promise.all(
          Array.from({ length: total }, (_, i) =>
            store.events.append(tenant, { type: "x", at: now, data: i }),
          ),
        );
        writing = false;
        await reader;
        expect(seen).toEqual(Array.from({ length: total }, (_, i) => i + 1));
      });
    });

    describe("citations", () => {
      it("gives each source a number that stays", async () => {
        const [tenant, other] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a") });
        const long = `https://example.org/${"x".repeat(5_000)}`;
        const register = (...sources: string[]) =>
          store.citations.register(
            tenant,
            conversation,
            sources.map((source) => ({ source, title: `T ${source.length}` })),
          );
        expect((await register("a", long, "a")).map((one) => one.number)).toEqual([1, 2, 1]);
        expect((await register("c", "a")).map((one) => one.number)).toEqual([3, 1]);
        expect(await store.citations.list(tenant, conversation)).toEqual([
          { number: 1, source: "a", title: "T 1" },
          { number: 2, source: long, title: `T ${long.length}` },
          { number: 3, source: "c", title: "T 1" },
        ]);
        expect(await store.citations.list(other, conversation)).toEqual([]);
        await expect(store.citations.register(other, conversation, [])).rejects.toThrow(/no conversation/);
      });

      it("never gives one number twice", async () => {
        const [tenant] = tenants();
        const { conversation } = await add(tenant, { messages: storedTranscript("a") });
        await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            store.citations.register(tenant, conversation, [{ source: `s${i % 6}` }]),
          ),
        );
        const numbers = (await store.citations.list(tenant, conversation)).map((one) => one.number);
        expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
      });
    });

    describe("leases", () => {
      it("are held by one owner", async () => {
        const [tenant, other] = tenants();
        const { acquire, renew, release } = store.leases;
        const [first, second] = [
          await acquire(tenant, "l", "a", 60_000),
          await acquire(tenant, "l", "b", 60_000),
        ];
        expect(first).toMatchObject({ owner: "a", fence: 1 });
        expect(second).toBeUndefined();
        expect(await acquire(other, "l", "b", 60_000)).toMatchObject({ owner: "b" });
        expect(await acquire(tenant, "l", "a", 60_000)).toMatchObject({ fence: 1 });
        expect(await renew(tenant, "l", "a", 60_000)).toBe(true);
        expect(await renew(tenant, "l", "b", 60_000)).toBe(false);
        expect(await release(tenant, "l", "b")).toBe(false);
        expect(await release(tenant, "l", "a")).toBe(true);
        expect(await release(tenant, "l", "a")).toBe(false);
        expect(await renew(tenant, "l", "a", 60_000)).toBe(false);
        expect(await acquire(tenant, "l", "b", 60_000)).toMatchObject({ owner: "b", fence: 2 });
      });

      it("go to exactly one of many who ask at once", async () => {
        const [tenant] = tenants();
        for (let round = 0; round < 5; round++) {
          const all = await Promise.all(
            Array.from({ length: 12 }, (_, i) => store.leases.acquire(tenant, `l${round}`, `o${i}`, 60_000)),
          );
          expect(all.filter((lease) => lease !== undefined)).toHaveLength(1);
        }
      });

      it("end by themselves, and the next owner can be told from the last", async () => {
        const [tenant] = tenants();
        const { acquire, renew, release } = store.leases;
        const ttlMs = ownClock ? 60_000 : 200;
        const pass = async (ms: number) => {
          if (ownClock) now += ms;
          else await new Promise((resolve) => setTimeout(resolve, ms));
        };
        await acquire(tenant, "l", "dead", ttlMs);
        await pass(ttlMs / 2);
        expect(await acquire(tenant, "l", "b", ttlMs)).toBeUndefined();
        await pass(ttlMs / 2 + 1);
        expect(await renew(tenant, "l", "dead", ttlMs)).toBe(false);
        expect(await acquire(tenant, "l", "b", 60_000)).toMatchObject({ owner: "b", fence: 2 });
        expect(await renew(tenant, "l", "dead", ttlMs)).toBe(false);
        expect(await release(tenant, "l", "dead")).toBe(false);
      });
    });

    describe("client keys", () => {
      it("are known by their hash alone", async () => {
        const [tenant, other] = tenants();
        const { key, clientKey } = await store.clientKeys.create(tenant, {
          name: "laptop",
          limits: { requestsPerMinute: 10 },
        });
        expect(key).toMatch(/^precis_[0-9a-f]{64}$/);
        expect(await store.clientKeys.verify(key)).toEqual({ ...clientKey, lastUsedAt: now });
        expect(await store.clientKeys.verify(`${key}x`)).toBeUndefined();
        expect(await store.clientKeys.list(tenant)).toEqual([{ ...clientKey, lastUsedAt: now }]);
        expect(await store.clientKeys.list(other)).toEqual([]);
        let exported = "";
        for await (const line of store.upkeep.exportAll({ tenant })) exported += line;
        expect(exported).toContain("laptop");
        expect(exported).not.toContain(key);
      });

      it("end when they are revoked or have expired", async () => {
        const [tenant, other] = tenants();
        const one = await store.clientKeys.create(tenant, { name: "a" });
        now += 1;
        const two = await store.clientKeys.create(tenant, { name: "b", expiresAt: now + 1_000 });
        expect(await store.clientKeys.revoke(other, one.clientKey.id)).toBe(false);
        expect(await store.clientKeys.revoke(tenant, one.clientKey.id)).toBe(true);
        expect(await store.clientKeys.verify(one.key)).toBeUndefined();
        expect(await store.clientKeys.verify(two.key)).toBeDefined();
        now += 1_000;
        expect(await store.clientKeys.verify(two.key)).toBeUndefined();
        expect((await store.clientKeys.list(tenant)).map((key) => key.revokedAt !== undefined)).toEqual([
          true,
          false,
        ]);
      });
    });

    describe("upkeep", () => {
      it("sweeps what has had its time", async () => {
        const [tenant] = tenants();
        const old = await add(tenant, { messages: storedTranscript("old", "chat"), session: "old" });
        const pinned = await add(tenant, { messages: storedTranscript("pinned") });
        const short = await add(tenant, { messages: storedTranscript("short"), ttlMs: DAY_MS });
        await store.conversations.update(tenant, pinned.conversation, { pinned: true });
        await store.events.append(tenant, { type: "x", at: now, data: 1 });
        const hash = storedTranscript("pinned")[0]!.hash;
        await store
          .records(tenant)
          .save({ summaries: [summary("orphan", "no-chat"), summary("held", hash)] });
        expect(await store.upkeep.sweep({ tenant })).toMatchObject({
          conversations: 0,
          events: 0,
          records: 0,
        });
        now += 3 * DAY_MS;
        await store.records(tenant).save({ summaries: [summary("young", "no-chat")] });
        expect((await store.upkeep.sweep({ tenant })).conversations).toBe(1);
        expect(await store.conversations.get(tenant, short.conversation)).toBeUndefined();
        const swept = await store.upkeep.sweep({
          tenant,
          conversationsMs: 2 * DAY_MS,
          eventsMs: 2 * DAY_MS,
          recordsMs: 2 * DAY_MS,
        });
        expect(swept).toMatchObject({ conversations: 1, events: 1, records: 1 });
        expect(await store.conversations.get(tenant, old.conversation)).toBeUndefined();
        expect(await store.conversations.get(tenant, pinned.conversation)).toBeDefined();
        const left = await store.records(tenant).find(["no-chat", hash]);
        expect(left.summaries.map((one) => one.key).sort()).toEqual(["held", "young"]);
      });

      it("moves everything to another store, once", async () => {
        const [tenant, other] = tenants();
        const messages = storedTranscript("hi", "hello");
        const { conversation } = await add(tenant, { messages, head: '"sys"', session: "s", title: "T" });
        await add(tenant, { conversation, messages: storedTranscript("hi", "hello", "x") });
        await store.citations.register(tenant, conversation, [{ source: "a", title: "A" }]);
        await store.events.append(tenant, { type: "x", conversation, at: now, data: { n: 1 } });
        const { key } = await store.clientKeys.create(tenant, { name: "k" });
        await store.records(tenant).save({
          checkpoints: [checkpoint("c", messages[1]!.hash)],
          summaries: [summary("s", messages[1]!.hash)],
          undos: [undo("c")],
        });
        const named = await add(tenant, { messages: storedTranscript("named"), session: "n", named: true });
        await add(other, { messages });

        const lines: string[] = [];
        for await (const line of store.upkeep.exportAll({ tenant })) lines.push(line);
        const target = await open({ now: () => now });
        try {
          const first = await target.upkeep.importAll(lines);
          expect(first).toEqual({ lines: lines.length, added: lines.length - 1 });
          expect(await target.upkeep.importAll(lines)).toEqual({ lines: lines.length, added: 0 });
          const again: string[] = [];
          for await (const line of target.upkeep.exportAll({ tenant })) again.push(line);
          expect(again.slice(1)).toEqual(lines.slice(1));
          expect((await target.upkeep.stats(other)).counts.conversations).toBe(0);
          expect(await target.conversations.get(tenant, named.conversation)).toMatchObject({ named: true });
          expect(await target.clientKeys.verify(key)).toMatchObject({ tenant });
          expect(await target.events.append(tenant, { type: "y", at: now, data: 2 })).toBe(2);
        } finally {
          await target.close();
        }
      });

      it("says which line of an import is wrong", async () => {
        const importLines = (...lines: string[]) => store.upkeep.importAll(lines);
        await expect(importLines("{")).rejects.toThrow(/line 1 is no JSON/);
        await expect(importLines('{"type":"event"}')).rejects.toThrow(/no beginning/);
        const header = '{"type":"precis-export","version":1,"at":1}';
        await expect(importLines(header, '{"type":"who"}')).rejects.toThrow(/line 2 is no line of an export/);
        await expect(
          importLines(header, '{"type":"message","tenant":"t","conversation":"c","message":{}}'),
        ).rejects.toThrow(/without its conversation/);
        await expect(importLines('{"type":"precis-export","version":99}')).rejects.toThrow(/Upgrade precis/);
      });

      it("counts", async () => {
        const stats = await store.upkeep.stats();
        expect(stats).toMatchObject({ kind: store.kind, schema: 2 });
        expect(stats.tenants).toBeGreaterThan(0);
        await store.upkeep.vacuum();
      });
    });

    it("finishes what is under way before it closes", async () => {
      const closing = await open({ now: () => now });
      const work = Array.from({ length: 5 }, (_, i) =>
        closing.conversations.append("t", { messages: storedTranscript(`m${i}`), at: now }),
      );
      const reading = closing.find(["a"]);
      await closing.close();
      expect(await Promise.all(work)).toHaveLength(5);
      await reading;
    });

    it("refuses to work once it is closed", async () => {
      const closed = await open({ now: () => now });
      await closed.ready();
      await closed.close();
      await closed.close();
      await expect(closed.find(["a"])).rejects.toThrow(/closed/);
    });
  });
}
