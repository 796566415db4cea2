import { describe, expect, it } from "vitest";
import { StoreError } from "../../core/errors.ts";
import type { NewMessage } from "../../stores/server-store.ts";
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

    it("remembers that a name was asked for, from then on and in forks", async () => {
      const [tenant] = tenants();
      const { get } = context.store.conversations;
      const messages = storedTranscript("a", "b", "c", "d");
      const { conversation } = await add(tenant, { session: "s", messages: messages.slice(0, 2) });
      expect(await get(tenant, conversation)).toMatchObject({ named: false });
      await add(tenant, { conversation, session: "s", named: true, messages });
      expect(await get(tenant, conversation)).toMatchObject({ named: true });
      await add(tenant, { conversation, session: "s", messages: storedTranscript("a", "b", "c", "d", "e") });
      expect(await get(tenant, conversation)).toMatchObject({ named: true });
      const fork = await add(tenant, { conversation, messages: storedTranscript("a", "b", "x") });
      expect(await get(tenant, fork.conversation)).toMatchObject({ session: "s", named: true });
      const unnamed = await add(tenant, {
        conversation,
        session: "made-up",
        messages: storedTranscript("a", "b", "y"),
      });
      expect(await get(tenant, unnamed.conversation)).toMatchObject({ session: "made-up", named: false });
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

    it("keeps what an append says of a conversation that it makes, together with its messages", async () => {
      const [tenant] = tenants();
      const all = storedTranscript("hi", "hello", "more");
      const { meta } = context.store.conversations;
      const { conversation } = await add(tenant, { messages: all.slice(0, 2), meta: { pins: [1] } });
      expect(await meta(tenant, conversation)).toEqual({ pins: [1] });
      const more = { after: all[1]!.hash, messages: all.slice(2) };
      await add(tenant, { conversation, ...more, meta: { pins: [2] } });
      expect(await meta(tenant, conversation)).toEqual({ pins: [1] });
      const other = { after: all[1]!.hash, messages: storedTranscript("hi", "hello", "less").slice(2) };
      const fork = await add(tenant, { conversation, ...other, meta: { pins: [3] } });
      expect(fork.forkOf).toBe(conversation);
      expect(await meta(tenant, fork.conversation)).toEqual({ pins: [3] });
    });

    it("changes title, flags and the host's own data", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const { update, meta } = context.store.conversations;
      expect(await meta(tenant, conversation)).toBeUndefined();
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
      expect(await meta(tenant, conversation)).toEqual({ pins: [1] });
      expect(await meta(other, conversation)).toBeUndefined();
      expect(await meta(tenant, "nobody")).toBeUndefined();
      expect(await update(tenant, conversation, { meta: undefined, expiresAt: undefined })).toMatchObject({
        title: "New title �",
        meta: undefined,
        expiresAt: undefined,
      });
      expect(await meta(tenant, conversation)).toBeUndefined();
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
