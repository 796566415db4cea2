import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";
import { storedTranscript, textsOf } from "./samples.ts";

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
      // Short ones may stand more than once.
      expect(counts.bodies).toBeLessThanOrEqual(7);
      for (const { conversation } of made) {
        const read = await context.store.conversations.read(tenant, conversation, { from: 2 });
        expect(textsOf(read)).toEqual([wire]);
      }
    });

    it("stores messages once that come again behind another beginning", async () => {
      const [tenant] = tenants();
      const later = Array.from({ length: 12 }, (_, n) => `message ${n}`);
      for (const opening of ["at noon", "at one", "at two"]) {
        const messages = storedTranscript(opening, ...later);
        const { conversation } = await add(tenant, { messages });
        const read = await context.store.conversations.read(tenant, conversation);
        expect(textsOf(read)).toEqual(textsOf(messages));
      }
      expect((await context.store.upkeep.stats(tenant)).counts).toMatchObject({ messages: 39, bodies: 15 });
    });

    it("shares the texts of a conversation among all of its forks, and ends them with the last of them", async () => {
      const [tenant] = tenants();
      const { conversations, upkeep } = context.store;
      const origin = await add(tenant, { messages: storedTranscript("hi", "hello", "why", "so") });
      const forks = [];
      for (const end of ["how", "when", "where"]) {
        const messages = storedTranscript("hi", "hello", end);
        forks.push(await add(tenant, { conversation: origin.conversation, messages }));
      }
      expect((await upkeep.stats(tenant)).counts).toMatchObject({ messages: 13, bodies: 7 });
      await conversations.delete(tenant, origin.conversation);
      const shared = textsOf(storedTranscript("hi", "hello"));
      for (const { conversation } of forks)
        expect(textsOf(await conversations.read(tenant, conversation, { to: 2 }))).toEqual(shared);
      expect((await upkeep.stats(tenant)).counts).toMatchObject({ messages: 9, bodies: 5 });
      for (const { conversation } of forks) await conversations.delete(tenant, conversation);
      expect((await upkeep.stats(tenant)).counts).toMatchObject({ messages: 0, bodies: 0 });
    });

    it("leaves no text behind when all who have it are deleted at the same time", async () => {
      const [tenant] = tenants();
      const { conversations, upkeep } = context.store;
      const wire = JSON.stringify({ role: "user", content: "a page of a manual ".repeat(500) });
      for (let round = 0; round < 10; round++) {
        const made = [];
        for (const opening of ["one", "two", "three"]) {
          const messages = storedTranscript(`${round} ${opening}`).map((message) => ({ ...message, wire }));
          made.push(await add(tenant, { messages, head: "be brief" }));
        }
        await Promise.all(made.map(({ conversation }) => conversations.delete(tenant, conversation)));
        expect((await upkeep.stats(tenant)).counts).toMatchObject({
          conversations: 0,
          messages: 0,
          bodies: 0,
        });
      }
    });

    it("forks a long conversation that was said bit by bit, with all texts in both", async () => {
      const [tenant] = tenants();
      const { conversations, upkeep } = context.store;
      const path = Array.from({ length: 72 }, (_, n) => `${n}`);
      const said = storedTranscript(...path);
      const { conversation } = await add(tenant, { messages: said.slice(0, 2) });
      for (let n = 2; n < said.length; n += 2) {
        const after = said[n - 1]!.hash;
        await add(tenant, { conversation, after, messages: said.slice(n, n + 2) });
      }
      const other = storedTranscript(...path.slice(0, 70), "other");
      const fork = await add(tenant, { conversation, messages: other });
      expect(fork).toMatchObject({ forkOf: conversation, added: 1, length: 71 });
      expect(textsOf(await conversations.read(tenant, conversation))).toEqual(textsOf(said));
      expect(textsOf(await conversations.read(tenant, fork.conversation))).toEqual(textsOf(other));
      expect((await upkeep.stats(tenant)).counts).toMatchObject({ messages: 143, bodies: 73 });
    });
  });
}
