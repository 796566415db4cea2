import { describe, expect, it } from "vitest";
import type { NewMessage } from "../../stores/server-store.ts";
import type { ContractContext } from "./context.ts";
import { storedTranscript } from "./samples.ts";

/** Messages of which the last one ends an answer. */
const answered = (answer: string, messages: readonly NewMessage[]): NewMessage[] =>
  messages.map((message, index) => (index === messages.length - 1 ? { ...message, answer } : message));

export function describeAnswers(context: ContractContext): void {
  const { tenants, add } = context;
  const placeOf = async (tenant: string, answer: string) => {
    const found = await context.store.conversations.findAnswer(tenant, answer);
    return found && { id: found.conversation.id, length: found.length };
  };

  describe("answers of a provider", () => {
    it("are found by their ids, the older ones as well as the newest", async () => {
      const [tenant, other] = tenants();
      const all = storedTranscript("hi", "hello", "why", "because", "how", "so");
      const first = answered("r1", all.slice(0, 2));
      const { conversation } = await add(tenant, { session: "s", isNew: true, messages: first });
      for (const [answer, length] of [
        ["r2", 2],
        ["r3", 4],
      ] as const) {
        const messages = answered(answer, all.slice(length, length + 2));
        await add(tenant, { conversation, after: all[length - 1]!.hash, messages });
      }
      expect(await placeOf(tenant, "r1")).toEqual({ id: conversation, length: 2 });
      expect(await placeOf(tenant, "r2")).toEqual({ id: conversation, length: 4 });
      expect(await context.store.conversations.findAnswer(tenant, "r3")).toEqual({
        conversation: await context.store.conversations.get(tenant, conversation),
        length: 6,
        hash: all[5]!.hash,
      });
      expect(await placeOf(tenant, "s")).toBeUndefined();
      expect(await placeOf(other, "r1")).toBeUndefined();
      const stored = await context.store.conversations.read(tenant, conversation);
      expect(stored.map(({ answer }) => answer)).toEqual([undefined, "r1", undefined, "r2", undefined, "r3"]);
      expect("answer" in stored[0]!).toBe(false);
      await context.store.conversations.delete(tenant, conversation);
      expect(await placeOf(tenant, "r1")).toBeUndefined();
    });

    it("are found in a conversation that ends there rather than in one that went on, then in the newest", async () => {
      const [tenant] = tenants();
      const first = answered("r1", storedTranscript("hi", "hello"));
      const origin = await add(tenant, { messages: first });
      const went = answered("r2", storedTranscript("hi", "hello", "why", "because").slice(2));
      await add(tenant, { conversation: origin.conversation, after: first[1]!.hash, messages: went });
      const other = answered("r3", storedTranscript("hi", "hello", "how", "so").slice(2));
      await add(tenant, { conversation: origin.conversation, after: first[1]!.hash, messages: other });
      // Each in its branch.
      for (const [answer, length] of [
        ["r1", 2],
        ["r2", 4],
        ["r3", 4],
      ] as const)
        expect(await placeOf(tenant, answer)).toEqual({ id: origin.conversation, length });
      context.now += 10;
      const ends = await add(tenant, { session: "another", messages: first });
      context.now += 10;
      await add(tenant, {
        conversation: origin.conversation,
        after: went[1]!.hash,
        messages: storedTranscript("hi", "hello", "why", "because", "and").slice(4),
      });
      expect(await placeOf(tenant, "r1")).toEqual({ id: ends.conversation, length: 2 });
      await context.store.conversations.delete(tenant, ends.conversation);
      expect(await placeOf(tenant, "r1")).toEqual({ id: origin.conversation, length: 2 });
    });

    it("may have the words of one that is there: the newer id is the one that counts", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages: answered("r1", messages) });
      const again = { conversation, after: messages[0]!.hash };
      expect(await add(tenant, { ...again, messages: answered("r2", messages.slice(1)) })).toMatchObject({
        conversation,
        added: 0,
        length: 2,
      });
      expect(await placeOf(tenant, "r2")).toEqual({ id: conversation, length: 2 });
      expect(await placeOf(tenant, "r1")).toBeUndefined();
      // One that has none takes none away.
      await add(tenant, { ...again, messages: messages.slice(1) });
      expect(await placeOf(tenant, "r2")).toEqual({ id: conversation, length: 2 });
    });

    it("are refused where their ids can't be stored", async () => {
      const [tenant] = tenants();
      for (const answer of ["", "a\0b", "x".repeat(2_000)])
        await expect(
          add(tenant, { messages: answered(answer, storedTranscript("hi", "hello")) }),
        ).rejects.toThrow(/the answer/);
    });
  });
}
