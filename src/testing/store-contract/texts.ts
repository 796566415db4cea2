import { describe, expect, it } from "vitest";
import { type ContractContext, DAY_MS, storedTranscript, textsOf } from "./samples.ts";

export function describeTexts(context: ContractContext): void {
  const { tenants, add } = context;
  describe("texts of messages", () => {
    it("stores a long text once, whoever has it", async () => {
      const [tenant] = tenants();
      const wire = JSON.stringify({ role: "user", content: "a page of a manual ".repeat(500) });
      const made = [];
      for (const opening of ["one", "two", "three"]) {
        const [first, second, third] = storedTranscript(opening, "yes", "page");
        made.push(await add(tenant, { messages: [first!, second!, { ...third!, wire }] }));
      }
      const { counts } = await context.store.upkeep.stats(tenant);
      expect(counts).toMatchObject({ conversations: 3, messages: 9 });
      // Short ones stand with their messages.
      expect(counts.bodies).toBe(1);
      for (const { conversation } of made) {
        const read = await context.store.conversations.read(tenant, conversation, { from: 2 });
        expect(textsOf(read)).toEqual([wire]);
      }
    });

    it("stores messages once that come again behind another beginning", async () => {
      const [tenant] = tenants();
      const later = Array.from({ length: 12 }, (_, n) => `message ${n} ${"of some length ".repeat(20)}`);
      for (const opening of ["at noon", "at one", "at two"]) {
        const messages = storedTranscript(opening, ...later);
        const { conversation } = await add(tenant, { messages });
        const read = await context.store.conversations.read(tenant, conversation);
        expect(textsOf(read)).toEqual(textsOf(messages));
      }
      expect((await context.store.upkeep.stats(tenant)).counts).toMatchObject({ messages: 39, bodies: 12 });
    });

    it("stores a head that changes a little with every request as its difference", async () => {
      const [tenant] = tenants();
      const { conversations } = context.store;
      const heads = Array.from({ length: 20 }, (_, n) =>
        JSON.stringify(`${"rule ".repeat(2_000)}${n} o'clock${" end".repeat(500)}`),
      );
      const { conversation } = await add(tenant, { messages: storedTranscript("hi"), head: heads[0]! });
      for (const head of heads) {
        await add(tenant, { conversation, messages: [], head });
        expect(await conversations.head(tenant, conversation)).toBe(head);
      }
      await add(tenant, { conversation, messages: [], head: '"short"' });
      expect(await conversations.head(tenant, conversation)).toBe('"short"');
      let stored = 0;
      for await (const line of context.store.upkeep.exportAll({ tenant })) stored += line.length;
      expect(stored).toBeGreaterThan(0);
      context.now += DAY_MS;
      await context.store.upkeep.sweep();
      expect((await context.store.upkeep.stats(tenant)).counts.bodies).toBe(0);
    });

    it("leaves no text behind when all who have it are deleted at the same time", async () => {
      const [tenant] = tenants();
      const { conversations, upkeep } = context.store;
      const wire = JSON.stringify({ role: "user", content: "a page of a manual ".repeat(500) });
      for (let round = 0; round < 10; round++) {
        const made = [];
        for (const opening of ["one", "two", "three"]) {
          const messages = storedTranscript(`${round} ${opening}`).map((message) => ({ ...message, wire }));
          made.push(await add(tenant, { messages, head: "be brief ".repeat(50) }));
        }
        await Promise.all(made.map(({ conversation }) => conversations.delete(tenant, conversation)));
        context.now += DAY_MS;
        await upkeep.sweep();
        expect((await upkeep.stats(tenant)).counts).toMatchObject({
          conversations: 0,
          messages: 0,
          bodies: 0,
        });
      }
    });
  });
}
