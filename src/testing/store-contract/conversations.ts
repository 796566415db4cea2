import { describe, expect, it } from "vitest";
import { StoreError } from "../../core/errors.ts";
import type { FindQuery, NewMessage } from "../../stores/server-store.ts";
import type { ContractContext } from "./context.ts";
import { hashesOf, storedTranscript } from "./samples.ts";

export function describeConversations(context: ContractContext): void {
  const { tenants, add } = context;
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
      const read = await context.store.conversations.read(tenant, conversation);
      expect(read.map((message) => message.wire)).toEqual(wire);
      expect(read[0]).not.toHaveProperty("tokens");
      expect(await context.store.conversations.head(tenant, conversation)).toBe('["be brief"]');
    });

    it("keeps the newest head, and none that nobody has any more", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("a");
      const { conversation } = await add(tenant, { messages, head: '"at noon"' });
      await add(tenant, { conversation, messages, head: '"at one"' });
      expect(await context.store.conversations.head(tenant, conversation)).toBe('"at one"');
      const { conversation: other } = await add(tenant, {
        messages: storedTranscript("b"),
        head: '"at one"',
      });
      await add(tenant, { conversation, messages, head: '"at two"' });
      expect(await context.store.conversations.head(tenant, other)).toBe('"at one"');
      expect((await context.store.upkeep.stats(tenant)).counts.bodies).toBe(4);
    });

    it("takes fractions of tokens and milliseconds", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("a").map((message) => ({ ...message, tokens: 1.6, at: 5.4 }));
      const { conversation } = await add(tenant, { messages, at: 5.4, ttlMs: 10.2 });
      expect(await context.store.conversations.get(tenant, conversation)).toMatchObject({
        tokens: 2,
        expiresAt: 15,
      });
      expect(await context.store.conversations.read(tenant, conversation)).toMatchObject([
        { tokens: 2, at: 5 },
      ]);
      await context.store.events.append(tenant, { type: "x", at: 1.5, data: 1 });
      await context.store.leases.acquire(tenant, "l", "o", 0.5);
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
      expect(hashesOf(await context.store.conversations.read(tenant, conversation))).toEqual(hashesOf(all));
      const { counts } = await context.store.upkeep.stats(tenant);
      expect(counts).toMatchObject({ conversations: 1, messages: 4, bodies: 4 });
      expect(await context.store.conversations.get(tenant, conversation)).toMatchObject({
        length: 4,
        tokens: 14,
      });
    });

    it("finds a conversation by the longest prefix of its transcript", async () => {
      const [tenant, other] = tenants();
      const all = storedTranscript(...Array.from({ length: 100 }, (_, i) => `m${i}`));
      const { conversation } = await add(tenant, { messages: all });
      const { find } = context.store.conversations;
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
      await context.store.citations.register(tenant, origin.conversation, [{ source: "a.md" }]);
      context.now += 10;
      const fork = await add(tenant, { conversation: origin.conversation, messages: second });
      expect(fork).toMatchObject({ forkOf: origin.conversation, added: 2, length: 4 });
      expect(fork.conversation).not.toBe(origin.conversation);
      const { conversations } = context.store;
      expect(hashesOf(await conversations.read(tenant, fork.conversation))).toEqual(hashesOf(second));
      expect(hashesOf(await conversations.read(tenant, origin.conversation))).toEqual(hashesOf(first));
      expect(await conversations.get(tenant, fork.conversation)).toMatchObject({
        fork: { of: origin.conversation, length: 2 },
        session: "s",
        title: "Chat",
        tokens: 14,
      });
      expect((await context.store.upkeep.stats(tenant)).counts).toMatchObject({ messages: 8, bodies: 6 });
      expect(await context.store.citations.list(tenant, fork.conversation)).toEqual([
        { number: 1, source: "a.md" },
      ]);
      // The session goes on with the newest branch, and each branch is found by its own messages.
      expect((await conversations.findSession(tenant, "s"))?.id).toBe(fork.conversation);
      expect((await conversations.find(tenant, hashesOf(first)))?.conversation.id).toBe(origin.conversation);
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
      expect(await context.store.conversations.get(tenant, two.conversation)).toMatchObject({
        fork: undefined,
        session: undefined,
        title: "",
      });
    });

    it("prefers the conversation that ends where the transcript does", async () => {
      const [tenant] = tenants();
      const long = await add(tenant, { messages: storedTranscript("a", "b", "c") });
      const short = await add(tenant, { messages: storedTranscript("a", "b") });
      context.now += 10;
      await add(tenant, {
        conversation: long.conversation,
        messages: storedTranscript("a", "b", "c", "d"),
      });
      const found = await context.store.conversations.find(tenant, hashesOf(storedTranscript("a", "b", "x")));
      expect(found?.conversation.id).toBe(short.conversation);
    });

    it("finds the conversation that nobody asked for by name, where the request has no name", async () => {
      const [tenant] = tenants();
      const { find } = context.store.conversations;
      const short = storedTranscript("a", "b");
      const long = storedTranscript("a", "b", "c", "d");
      const unnamed = await add(tenant, { session: "made-up", messages: short });
      context.now += 10;
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
      expect(
        await context.store.conversations.find(tenant, hashesOf(all), { prefer: "unnamed" }),
      ).toMatchObject({
        conversation: { id: unnamed.conversation },
        matched: 4,
      });
    });

    it("finds only conversations of a session when it is asked to", async () => {
      const [tenant] = tenants();
      const first = storedTranscript("a", "b", "c", "d");
      const origin = await add(tenant, { session: "mine", named: true, messages: first });
      context.now += 10;
      const fork = await add(tenant, {
        conversation: origin.conversation,
        messages: storedTranscript("a", "b", "x", "y"),
      });
      context.now += 10;
      await add(tenant, { session: "theirs", messages: first });
      const { find } = context.store.conversations;
      expect((await find(tenant, hashesOf(first), { session: "mine" }))?.conversation.id).toBe(
        origin.conversation,
      );
      const shared = await find(tenant, hashesOf(first).slice(0, 2), { session: "mine" });
      expect(shared).toMatchObject({ conversation: { id: fork.conversation }, matched: 2 });
      expect(await find(tenant, hashesOf(first), { session: "nobody's" })).toBeUndefined();
    });

    it("remembers that a name was asked for, from then on and in forks", async () => {
      const [tenant] = tenants();
      const { get } = context.store.conversations;
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
      expect((await context.store.conversations.get(tenant, first.conversation))?.length).toBe(
        messages.length,
      );
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
        const read = await context.store.conversations.read(tenant, branch.conversation);
        expect(hashesOf(read)).toEqual(hashesOf(storedTranscript("hi", "hello", `q${i}`)));
      }
    });

    it("reads a range", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a", "b", "c", "d") });
      const positions = async (range: { from?: number; to?: number }) =>
        (await context.store.conversations.read(tenant, conversation, range)).map(
          (message) => message.position,
        );
      expect(await positions({ from: 1, to: 3 })).toEqual([1, 2]);
      expect(await positions({ from: 3 })).toEqual([3]);
      expect(await context.store.conversations.read(other, conversation)).toEqual([]);
      expect(await context.store.conversations.get(other, conversation)).toBeUndefined();
      expect(await context.store.conversations.head(other, conversation)).toBeUndefined();
    });

    it("lists the conversations of one session", async () => {
      const [tenant, other] = tenants();
      const origin = await add(tenant, { session: "s", messages: storedTranscript("a", "b", "c") });
      context.now += 1;
      const fork = await add(tenant, {
        conversation: origin.conversation,
        messages: storedTranscript("a", "b", "x"),
      });
      await add(tenant, { session: "other", messages: storedTranscript("z") });
      await add(other, { session: "s", messages: storedTranscript("a") });
      const { conversations } = await context.store.conversations.list(tenant, { session: "s" });
      expect(conversations.map(({ id }) => id)).toEqual([fork.conversation, origin.conversation]);
      expect((await context.store.conversations.list(tenant, { session: "none" })).conversations).toEqual([]);
    });

    it("lists pinned ones first, then the newest, in pages", async () => {
      const [tenant, other] = tenants();
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) {
        context.now += 1;
        ids.push(
          (await add(tenant, { messages: storedTranscript(`m${i}`), title: `Chat ${i}` })).conversation,
        );
      }
      await context.store.conversations.update(tenant, ids[1]!, { pinned: true });
      await context.store.conversations.update(tenant, ids[2]!, { archived: true });
      const titles: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await context.store.conversations.list(tenant, { limit: 2, ...(cursor && { cursor }) });
        expect(page.conversations.length).toBeLessThanOrEqual(2);
        titles.push(...page.conversations.map((one) => one.title));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(titles).toEqual(["Chat 1", "Chat 6", "Chat 5", "Chat 4", "Chat 3", "Chat 0"]);
      const only = await context.store.conversations.list(tenant, { archived: "only" });
      expect(only.conversations.map((one) => one.title)).toEqual(["Chat 2"]);
      expect(
        (await context.store.conversations.list(tenant, { archived: "all" })).conversations,
      ).toHaveLength(7);
      expect((await context.store.conversations.list(other)).conversations).toEqual([]);
      await expect(context.store.conversations.list(tenant, { cursor: "nonsense" })).rejects.toThrow(
        /first page/,
      );
    });

    it("searches titles in any case, and takes signs as they are", async () => {
      const [tenant] = tenants();
      for (const title of ["Übung 100%", "uebung 100 x", "snake_case", "snakeXcase", "back\\slash"])
        await add(tenant, { messages: storedTranscript(title), title });
      const search = async (text: string) =>
        (await context.store.conversations.list(tenant, { search: text })).conversations.map(
          (one) => one.title,
        );
      expect(await search("üBUNG")).toEqual(["Übung 100%"]);
      expect(await search("100%")).toEqual(["Übung 100%"]);
      expect(await search("E_C")).toEqual(["snake_case"]);
      expect(await search("k\\s")).toEqual(["back\\slash"]);
      expect(await search("' or 1=1 --")).toEqual([]);
    });

    it("changes title, flags and the host's own data", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const { update } = context.store.conversations;
      const changed = await update(tenant, conversation, {
        title: " New\n title \u0000\ud800",
        meta: { pins: [1] },
        expiresAt: context.now + 5,
      });
      expect(changed).toMatchObject({
        title: "New title �",
        meta: { pins: [1] },
        expiresAt: context.now + 5,
      });
      expect(await update(tenant, conversation, { meta: undefined, expiresAt: undefined })).toMatchObject({
        title: "New title �",
        meta: undefined,
        expiresAt: undefined,
      });
      expect(await update(tenant, conversation, {})).toMatchObject({ id: conversation });
      await expect(update(other, conversation, { title: "mine context.now" })).rejects.toThrow(StoreError);
    });

    it("refuses what it can't place", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const messages = storedTranscript("a", "b");
      await expect(add(tenant, { conversation: "none", messages })).rejects.toThrow(/no conversation none/);
      await expect(add(other, { conversation, messages })).rejects.toThrow(/no conversation/);
      await expect(add(tenant, { conversation, after: "unknown", messages })).rejects.toThrow(/doesn't hold/);
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
      expect(await context.store.conversations.read(tenant, conversation)).toHaveLength(2);
    });
  });
}
