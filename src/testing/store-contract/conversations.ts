import { describe, expect, it } from "vitest";
import { StoreError } from "../../core/errors.ts";
import type { NewMessage } from "../../stores/server-store.ts";
import { type ContractContext, DAY_MS, hashesOf, storedTranscript, textsOf } from "./samples.ts";

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
      const at = (hour: string) => JSON.stringify(`at ${hour} `.repeat(40));
      const messages = storedTranscript("a");
      const { conversation } = await add(tenant, { messages, head: '"at noon"' });
      await add(tenant, { conversation, messages, head: at("one") });
      expect(await context.store.conversations.head(tenant, conversation)).toBe(at("one"));
      const { conversation: other } = await add(tenant, {
        messages: storedTranscript("b"),
        head: at("one"),
      });
      await add(tenant, { conversation, messages, head: at("two") });
      expect(await context.store.conversations.head(tenant, other)).toBe(at("one"));
      context.now += DAY_MS;
      await context.store.upkeep.sweep();
      expect((await context.store.upkeep.stats(tenant)).counts.bodies).toBe(2);
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
      await context.store.leases.acquire(tenant, "l", "o", 0.5);
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
      expect(branches.map((one) => one.added)).toEqual(branches.map(() => 1));
      for (let i = 0; i < branches.length; i++) {
        const said = storedTranscript("hi", "hello", `q${i}`);
        const read = await context.store.conversations.read(tenant, conversation, { leaf: said[2]!.hash });
        expect(hashesOf(read)).toEqual(hashesOf(said));
      }
    });

    it("keeps what an append says of a conversation that it makes, together with its messages", async () => {
      const [tenant] = tenants();
      const all = storedTranscript("hi", "hello", "more");
      const { meta } = context.store.conversations;
      const { conversation } = await add(tenant, { messages: all.slice(0, 2), meta: { pins: [1] } });
      expect(await meta(tenant, conversation)).toEqual({ meta: { pins: [1] }, deletedAt: undefined });
      const more = { after: all[1]!.hash, messages: all.slice(2) };
      await add(tenant, { conversation, ...more, meta: { pins: [2] } });
      expect(await meta(tenant, conversation)).toEqual({ meta: { pins: [1] }, deletedAt: undefined });
    });

    it("changes title, flags and the host's own data", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const { update, meta } = context.store.conversations;
      expect((await meta(tenant, conversation))?.meta).toBeUndefined();
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
      expect(await meta(tenant, conversation)).toEqual({ meta: { pins: [1] }, deletedAt: undefined });
      expect(await meta(other, conversation)).toBeUndefined();
      expect(await meta(tenant, "nobody")).toBeUndefined();
      expect(await update(tenant, conversation, { meta: undefined, expiresAt: undefined })).toMatchObject({
        title: "New title �",
        meta: undefined,
        expiresAt: undefined,
      });
      expect((await meta(tenant, conversation))?.meta).toBeUndefined();
      expect(await update(tenant, conversation, {})).toMatchObject({ id: conversation });
      await expect(update(other, conversation, { title: "mine now" })).rejects.toThrow(StoreError);
    });

    it("are changed by what they are, by one after the other", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const { update, get } = context.store.conversations;
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          update(tenant, conversation, ({ meta }) => ({
            meta: [...((meta as number[] | undefined) ?? []), i],
          })),
        ),
      );
      const changed = await get(tenant, conversation);
      expect(new Set(changed?.meta as number[])).toEqual(new Set(Array.from({ length: 10 }, (_, i) => i)));
      await expect(update(tenant, "none", () => ({}))).rejects.toThrow(/no conversation none/);
      const { settings } = context.store;
      expect(await settings.read(tenant)).toBeUndefined();
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          settings.change(tenant, (now) => ({ ...(now as object), [i]: i })),
        ),
      );
      expect(Object.keys((await settings.read(tenant)) as object)).toHaveLength(10);
    });

    it("of tens of thousands of messages come in whole", async () => {
      const [tenant] = tenants();
      const messages = Array.from({ length: 1_200 }, (_, i) => ({
        ...storedTranscript("a")[0]!,
        hash: `long ${i}`,
      }));
      const { conversation, added } = await add(tenant, { messages });
      expect(added).toBe(1_200);
      expect(hashesOf(await context.store.conversations.read(tenant, conversation))).toEqual(
        hashesOf(messages),
      );
      expect(await context.store.conversations.get(tenant, conversation)).toMatchObject({
        length: 1_200,
        branched: false,
      });
    });

    it("with a thousand branches are each read by their own leaf", async () => {
      const [tenant] = tenants();
      const first = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages: first });
      const branches = Array.from({ length: 1_000 }, (_, n) =>
        storedTranscript("hi", "hello", `q${n}`).slice(2),
      );
      for (const messages of branches) await add(tenant, { conversation, after: first[1]!.hash, messages });
      const { read, siblings } = context.store.conversations;
      expect((await siblings(tenant, conversation)).get(2)).toHaveLength(1_000);
      for (const n of [0, 500, 999])
        expect(textsOf(await read(tenant, conversation, { leaf: branches[n]![0]!.hash }))).toEqual(
          textsOf([...first, ...branches[n]!]),
        );
    });

    it("learns the id of an answer that it has already, and what was given with it", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages });
      const said = { answer: "r1", given: ['{"role":"assistant"}'] };
      const again = await add(tenant, {
        conversation,
        messages: [messages[0]!, { ...messages[1]!, ...said }],
      });
      expect(again.added).toBe(0);
      await add(tenant, { conversation, messages });
      const [first, last] = await context.store.conversations.read(tenant, conversation);
      expect(last).toMatchObject(said);
      expect(first).not.toHaveProperty("given");
    });

    it("refuses ids of answers that can't be stored", async () => {
      const [tenant] = tenants();
      for (const answer of ["", "a\0b", "x".repeat(2_000)])
        await expect(
          add(tenant, { messages: storedTranscript("hi").map((one) => ({ ...one, answer })) }),
        ).rejects.toThrow(/the answer/);
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

    it("finds nothing by a name that can't be stored", async () => {
      const [tenant] = tenants();
      const { conversations } = context.store;
      for (const id of ["", "a\u0000b", "\ud800", "x".repeat(3_000)]) {
        expect(await conversations.get(tenant, id)).toBeUndefined();
        expect(await conversations.head(tenant, id)).toBeUndefined();
        expect(await conversations.read(tenant, id)).toEqual([]);
        await expect(conversations.update(tenant, id, { title: "x" })).rejects.toThrow(/no conversation/);
      }
    });
  });
}
