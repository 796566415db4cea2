import { describe, expect, it } from "vitest";
import {
  answers,
  type ContractContext,
  checkpoint,
  DAY_MS,
  hashesOf,
  recalled,
  storedTranscript,
  summary,
  undo,
} from "./samples.ts";

export function describeDeleting(context: ContractContext): void {
  const { tenants, add } = context;
  describe("deleting a conversation", () => {
    it("removes it everywhere", async () => {
      const [tenant, other] = tenants();
      const messages = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages, head: '"sys"', session: "s" });
      const hash = messages[1]!.hash;
      await context.store.records(tenant).save({
        checkpoints: [checkpoint("c", hash)],
        summaries: [summary("s", hash)],
        undos: [undo("c")],
        answers: [answers(messages[0]!.hash, "m", 1)],
        recalled: [recalled(hash, "c")],
      });
      expect((await context.store.records(tenant).find(hashesOf(messages))).answers).toHaveLength(1);
      expect(await context.store.conversations.delete(other, conversation)).toBe(false);
      expect(await context.store.conversations.delete(tenant, conversation)).toBe(true);
      expect(await context.store.conversations.delete(tenant, conversation)).toBe(false);
      // Texts that stand apart are collected later: somebody may be about to use them.
      context.now += DAY_MS;
      await context.store.upkeep.sweep();
      const { counts } = await context.store.upkeep.stats(tenant);
      expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(0);
      expect((await context.store.records(tenant).find(hashesOf(messages))).answers ?? []).toEqual([]);
      expect((await context.store.records(tenant).find(hashesOf(messages))).recalled).toEqual([]);
      expect(await context.store.conversations.find(tenant, hashesOf(messages))).toBeUndefined();
      expect(await context.store.conversations.findSession(tenant, "s")).toBeUndefined();
    });

    it("hides a long one at once, and takes it away a few messages at a time", async () => {
      const [tenant] = tenants();
      const words = Array.from({ length: 300 }, (_, n) => `word${n} of a chat that is long`);
      const messages = storedTranscript(...words);
      const { conversation } = await add(tenant, { messages });
      const index = context.store.recallIndex(tenant);
      const search = async () => (await index.candidates({ terms: ["chat"], limit: 5 })).messages;
      expect(await search()).not.toEqual([]);
      let isDeleted = false;
      const deleting = context.store.conversations.delete(tenant, conversation).then(() => {
        isDeleted = true;
      });
      let writes = 0;
      while (!isDeleted) {
        await context.store.settings.change(tenant, () => ({ writes }));
        const isThere = (await context.store.conversations.get(tenant, conversation)) !== undefined;
        expect(isThere && writes > 0).toBe(false);
        if (!isThere) writes++;
      }
      await deleting;
      expect(writes).toBeGreaterThan(10);
      expect(await search()).toEqual([]);
      expect((await context.store.upkeep.stats(tenant)).counts.messages).toBe(0);
    });

    it("isn't undone by a summary that was under way", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages });
      await context.store.conversations.delete(tenant, conversation);
      const records = context.store.records(tenant);
      const late = {
        checkpoints: [checkpoint("c", messages[1]!.hash)],
        summaries: [summary("s", messages[1]!.hash)],
        answers: [answers(messages[0]!.hash, "m", 1)],
        recalled: [recalled(messages[1]!.hash, "c")],
      };
      await records.save(late);
      expect(await records.find(hashesOf(messages))).toEqual({
        checkpoints: [],
        summaries: [],
        undos: [],
        recalled: [],
      });
      // The client still has the chat and goes on with it: it is a chat like any other.
      await add(tenant, { messages });
      await records.save(late);
      expect((await records.find(hashesOf(messages))).summaries).toHaveLength(1);
    });

    it("may meet appends of the same texts at the same time", async () => {
      const [tenant] = tenants();
      for (let round = 0; round < 5; round++) {
        const messages = storedTranscript("same", "text");
        const { conversation } = await add(tenant, { messages });
        const [, appended] = await Promise.all([
          context.store.conversations.delete(tenant, conversation),
          ...Array.from({ length: 4 }, () => add(tenant, { messages })),
        ]);
        const read = await context.store.conversations.read(tenant, appended!.conversation);
        expect(read.map((message) => message.wire)).toEqual(messages.map((message) => message.wire));
      }
    });
  });
}
