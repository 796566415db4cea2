import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";
import { checkpoint, hashesOf, storedTranscript, textsOf } from "./samples.ts";

export function describeBranches(context: ContractContext): void {
  const { tenants, add } = context;
  describe("branches of a conversation", () => {
    const first = storedTranscript("hi", "hello", "why", "so");
    const second = storedTranscript("hi", "hello", "how", "thus");

    it("begin where a transcript departs, and share all messages before", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: first, session: "s", title: "Chat" });
      const { get, read, find, siblings } = context.store.conversations;
      expect(await get(tenant, conversation)).toMatchObject({ branched: false });
      expect(await siblings(tenant, conversation)).toEqual(new Map());
      expect(await add(tenant, { conversation, messages: second })).toEqual({
        conversation,
        added: 2,
        length: 4,
      });
      // The active leaf follows what was said last.
      expect(hashesOf(await read(tenant, conversation))).toEqual(hashesOf(second));
      expect(await get(tenant, conversation)).toMatchObject({
        title: "Chat",
        length: 4,
        tokens: 14,
        branched: true,
      });
      expect((await context.store.upkeep.stats(tenant)).counts).toMatchObject({
        conversations: 1,
        messages: 6,
      });
      expect((await find(tenant, hashesOf(first)))?.matched).toBe(4);
      expect(hashesOf(await read(tenant, conversation, { leaf: first[3]!.hash, from: 1 }))).toEqual(
        hashesOf(first.slice(1)),
      );
      expect(await read(tenant, conversation, { leaf: "unknown" })).toEqual([]);
      expect(await siblings(tenant, conversation)).toEqual(new Map([[2, [first[2]!.hash, second[2]!.hash]]]));
      // What goes on with the other branch moves the leaf there.
      const more = storedTranscript("hi", "hello", "why", "so", "more").slice(4);
      expect(await add(tenant, { conversation, after: first[3]!.hash, messages: more })).toMatchObject({
        length: 5,
      });
      expect(textsOf(await read(tenant, conversation))).toEqual(textsOf([...first, ...more]));
      expect(textsOf(await read(tenant, conversation, { from: 1, to: 3 }))).toEqual(
        textsOf(first.slice(1, 3)),
      );
    });

    it("are shown when somebody asks for one of their messages", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: first });
      await add(tenant, { conversation, messages: second });
      const { read, update } = context.store.conversations;
      expect(await update(tenant, conversation, { leaf: first[2]!.hash })).toMatchObject({ length: 4 });
      expect(hashesOf(await read(tenant, conversation))).toEqual(hashesOf(first));
      await expect(update(tenant, conversation, { leaf: "unknown" })).rejects.toThrow(/doesn't hold/);
      await expect(update(other, conversation, { leaf: first[2]!.hash })).rejects.toThrow(/no conversation/);
      // Going back to a message shows it alone, and what is said there is another branch.
      await add(tenant, { conversation, messages: first.slice(0, 2) });
      expect(await read(tenant, conversation)).toHaveLength(2);
      const third = storedTranscript("hi", "hello", "when");
      await add(tenant, { conversation, after: first[1]!.hash, messages: third.slice(2) });
      expect(hashesOf(await read(tenant, conversation))).toEqual(hashesOf(third));
      expect((await context.store.conversations.siblings(tenant, conversation)).get(2)).toHaveLength(3);
    });

    it("hold an answer that the client rewrote beside the one that was given, and it is no answer of its own", async () => {
      const [tenant] = tenants();
      const rewritten = storedTranscript("hi", "hello!", "why");
      const { conversation } = await add(tenant, { messages: first.slice(0, 2) });
      await add(tenant, {
        conversation,
        after: first[0]!.hash,
        messages: [{ ...rewritten[1]!, rewritten: true }, rewritten[2]!],
      });
      const { read, siblings, find } = context.store.conversations;
      const stored = await read(tenant, conversation);
      expect(textsOf(stored)).toEqual(textsOf(rewritten));
      expect(stored.map((message) => message.rewritten)).toEqual([undefined, true, undefined]);
      expect(await siblings(tenant, conversation)).toEqual(new Map());
      // What the provider said can still be read, and there it has no sibling.
      expect((await find(tenant, hashesOf(first.slice(0, 2))))?.matched).toBe(2);
      await context.store.conversations.update(tenant, conversation, { leaf: first[1]!.hash });
      expect(textsOf(await read(tenant, conversation))).toEqual(textsOf(first.slice(0, 2)));
      expect(await siblings(tenant, conversation)).toEqual(new Map());
    });

    it("keep what the model said in full beside what the client was shown", async () => {
      const [tenant] = tenants();
      const given = ['{"role":"assistant","content":"all"}'];
      const { conversation } = await add(tenant, { messages: [first[0]!, { ...first[1]!, given }] });
      const stored = await context.store.conversations.read(tenant, conversation);
      expect(stored.map((message) => message.given)).toEqual([undefined, given]);
      expect("given" in stored[0]!).toBe(false);
    });

    it("are told apart by what follows a message, in each conversation that holds it", async () => {
      const [tenant, other] = tenants();
      const { behind } = context.store.conversations;
      const one = await add(tenant, { messages: first });
      await add(tenant, { conversation: one.conversation, messages: second });
      context.now += 10;
      const two = await add(tenant, { session: "s", isNew: true, messages: first.slice(0, 3) });
      const found = await behind(tenant, first[1]!.hash);
      expect(found.map(({ conversation, messages }) => [conversation.id, textsOf(messages)])).toEqual([
        [two.conversation, textsOf(first.slice(2, 3))],
        [one.conversation, textsOf(second.slice(2))],
        [one.conversation, textsOf(first.slice(2))],
      ]);
      expect(await behind(other, first[1]!.hash)).toEqual([]);
      expect(await behind(tenant, "unknown")).toEqual([]);
    });

    it("come along with an export, and with what is shown", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: first, head: '"sys"' });
      await add(tenant, { conversation, messages: second });
      await context.store.conversations.update(tenant, conversation, { leaf: first[3]!.hash });
      await context.store.records(tenant).save({ checkpoints: [checkpoint("c", second[3]!.hash)] });
      const copy = await context.open();
      try {
        await copy.upkeep.importAll(context.store.upkeep.exportAll({ tenant }));
        const { read, get, siblings } = copy.conversations;
        expect(await get(tenant, conversation)).toEqual(
          await context.store.conversations.get(tenant, conversation),
        );
        expect(textsOf(await read(tenant, conversation))).toEqual(textsOf(first));
        expect(textsOf(await read(tenant, conversation, { leaf: second[3]!.hash }))).toEqual(textsOf(second));
        expect(await siblings(tenant, conversation)).toEqual(
          await context.store.conversations.siblings(tenant, conversation),
        );
        expect((await copy.records(tenant).find([second[3]!.hash])).checkpoints).toHaveLength(1);
      } finally {
        await copy.close();
      }
    });

    it("of a thousand are each read by their own leaf", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: first.slice(0, 2) });
      const branches = Array.from({ length: 1_000 }, (_, n) =>
        storedTranscript("hi", "hello", `q${n}`).slice(2),
      );
      for (const messages of branches) await add(tenant, { conversation, after: first[1]!.hash, messages });
      const { read, siblings } = context.store.conversations;
      expect((await siblings(tenant, conversation)).get(2)).toHaveLength(1_000);
      for (const n of [0, 500, 999])
        expect(textsOf(await read(tenant, conversation, { leaf: branches[n]![0]!.hash }))).toEqual(
          textsOf([...first.slice(0, 2), ...branches[n]!]),
        );
    });
  });
}
