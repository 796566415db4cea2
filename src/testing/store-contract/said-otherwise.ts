import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";
import { hashesOf, storedTranscript, textsOf } from "./samples.ts";

export function describeSaidOtherwise(context: ContractContext): void {
  const { tenants, add } = context;
  describe("answers that a client says otherwise", () => {
    const given = storedTranscript("hi", "hello there");
    const said = storedTranscript("hi", "hello", "why");
    const otherwise = [{ ...said[1]!, given: [given[1]!.wire] }, said[2]!];
    const instead = { after: given[0]!.hash, instead: [given[1]!.hash], messages: otherwise };

    it("stand as the client says them, with what was given beside them", async () => {
      const [tenant, other] = tenants();
      const { append, read, find, holding, get } = context.store.conversations;
      const { conversation } = await add(tenant, { messages: given });
      await add(other, { messages: given });
      expect(await add(tenant, { conversation, ...instead })).toEqual({
        conversation,
        forkOf: undefined,
        added: 2,
        length: 3,
      });
      const stored = await read(tenant, conversation);
      expect(textsOf(stored)).toEqual(textsOf(said));
      expect(hashesOf(stored)).toEqual(hashesOf(said));
      expect(stored.map((message) => message.given)).toEqual([undefined, [given[1]!.wire], undefined]);
      expect("given" in stored[0]!).toBe(false);
      expect(await get(tenant, conversation)).toMatchObject({ length: 3, tokens: "hihellowhy".length });
      // What gave way is found no more, and it goes on from what came in its place.
      expect((await find(tenant, hashesOf(given)))?.matched).toBe(1);
      expect(await holding(tenant, given[1]!.hash)).toEqual([]);
      const more = storedTranscript("hi", "hello", "why", "because").slice(3);
      await append(tenant, { conversation, after: said[2]!.hash, messages: more, at: context.now });
      expect((await read(tenant, conversation)).length).toBe(4);
      expect(textsOf(await read(other, (await find(other, hashesOf(given)))!.conversation.id))).toEqual(
        textsOf(given),
      );
    });

    it("keep what was given also where they come with the first append", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: [given[0]!, ...otherwise] });
      const stored = await context.store.conversations.read(tenant, conversation);
      expect(stored.map((message) => message.given)).toEqual([undefined, [given[1]!.wire], undefined]);
    });

    it("make a fork where the conversation went on meanwhile", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: given });
      const more = storedTranscript("hi", "hello there", "how").slice(2);
      await add(tenant, { conversation, after: given[1]!.hash, messages: more });
      const fork = await add(tenant, { conversation, ...instead });
      expect(fork.conversation).not.toBe(conversation);
      expect(textsOf(await context.store.conversations.read(tenant, conversation))).toEqual(
        textsOf([...given, ...more]),
      );
      expect(textsOf(await context.store.conversations.read(tenant, fork.conversation))).toEqual(
        textsOf(said),
      );
    });

    it("keep what was given in forks and exports", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: given });
      await add(tenant, { conversation, ...instead });
      const way = storedTranscript("hi", "hello", "because").slice(2);
      const fork = await add(tenant, { conversation, after: said[1]!.hash, messages: way });
      expect(fork.forkOf).toBe(conversation);
      const copy = await context.open();
      try {
        await copy.upkeep.importAll(context.store.upkeep.exportAll({ tenant }));
        for (const store of [context.store, copy])
          for (const id of [conversation, fork.conversation])
            expect((await store.conversations.read(tenant, id))[1]?.given).toEqual([given[1]!.wire]);
      } finally {
        await copy.close();
      }
    });

    it("leave no text behind that nothing stands on", async () => {
      const [tenant] = tenants();
      const long = storedTranscript("hi", "x".repeat(10_000));
      const { conversation } = await add(tenant, { messages: long });
      const bodies = async () => (await context.store.upkeep.stats(tenant)).counts.bodies;
      expect(await bodies()).toBe(2);
      await add(tenant, { conversation, ...instead, instead: [long[1]!.hash] });
      expect(await bodies()).toBe(3);
    });

    it("can't give way to nothing", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: given });
      await expect(add(tenant, { conversation, ...instead, messages: [] })).rejects.toThrow(
        "give way to none",
      );
    });
  });

  it("messages are read from behind one of them, and conversations are found by it", async () => {
    const [tenant, other] = tenants();
    const { read, holding } = context.store.conversations;
    const first = await add(tenant, { messages: storedTranscript("a", "b", "c") });
    context.now += 10;
    const second = await add(tenant, {
      session: "s",
      isNew: true,
      messages: storedTranscript("a", "b", "d"),
    });
    const [, b, c] = storedTranscript("a", "b", "c");
    expect(textsOf(await read(tenant, first.conversation, { after: b!.hash }))).toEqual([c!.wire]);
    expect(await read(tenant, first.conversation, { after: c!.hash })).toEqual([]);
    expect(await read(tenant, second.conversation, { after: c!.hash })).toEqual([]);
    expect((await holding(tenant, b!.hash)).map(({ id }) => id)).toEqual([
      second.conversation,
      first.conversation,
    ]);
    expect((await holding(tenant, c!.hash)).map(({ id }) => id)).toEqual([first.conversation]);
    expect(await holding(other, b!.hash)).toEqual([]);
  });
}
