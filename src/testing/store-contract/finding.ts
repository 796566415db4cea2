import { describe, expect, it } from "vitest";
import { type ContractContext, hashesOf, storedTranscript } from "./samples.ts";

export function describeFinding(context: ContractContext): void {
  const { tenants, add } = context;
  describe("finding conversations", () => {
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
      // A client that left a message out: what counts is where its own transcript ends.
      expect(
        await find(
          tenant,
          hashesOf(all).filter((_, i) => i !== 5),
        ),
      ).toMatchObject({ matched: 99 });
      expect(await find(tenant, ["unknown"])).toBeUndefined();
      expect(await find(tenant, [])).toBeUndefined();
      expect(await find(other, hashesOf(all))).toBeUndefined();
    });

    it("goes on with the conversation of a request that got no answer, also where many are asked at once", async () => {
      const [tenant, other] = tenants();
      const asked = (word: string) => storedTranscript(word);
      const again = (word: string, head = "kind") => ({
        messages: storedTranscript(word, "answer"),
        head,
        isNew: true as const,
        session: `made-up ${word}`,
        unanswered: { hash: hashesOf(asked(word))[0]!, query: { prefer: "unnamed" as const, head } },
      });
      const first = await add(tenant, { messages: asked("a"), head: "kind", session: "first" });
      const [same, otherHead, otherTenant, unheard] = await Promise.all([
        add(tenant, again("a")),
        add(tenant, again("a", "strict")),
        add(other, again("a")),
        add(tenant, again("b")),
      ]);
      expect(same).toEqual({ conversation: first.conversation, added: 1, length: 2 });
      for (const one of [otherHead, otherTenant, unheard]) expect(one).toMatchObject({ added: 2, length: 2 });
      expect(new Set([same, otherHead, unheard].map((one) => one.conversation)).size).toBe(3);
      expect((await context.store.conversations.get(tenant, first.conversation))?.session).toBe("first");
      // It is answered now.
      expect(await add(tenant, again("a"))).toMatchObject({ added: 2 });
    });

    it("finds the unnamed conversation also where it ends long before the named one", async () => {
      const [tenant] = tenants();
      const all = storedTranscript(...Array.from({ length: 80 }, (_, i) => `long ${i}`));
      const unnamed = await add(tenant, { messages: all.slice(0, 4) });
      await add(tenant, { session: "mine", named: true, messages: all });
      expect(
        await context.store.conversations.find(tenant, hashesOf(all), { prefer: "unnamed" }),
      ).toMatchObject({ conversation: { id: unnamed.conversation }, matched: 4 });
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

    it("lists a person's own chats apart from conversations that programs began", async () => {
      const [tenant] = tenants();
      await add(tenant, { messages: storedTranscript("mine"), title: "Mine" });
      const append = { messages: storedTranscript("theirs"), title: "Theirs", client: "claude-cli" };
      const { conversation } = await add(tenant, append);
      const more = storedTranscript("theirs more").slice(-1);
      await add(tenant, {
        conversation,
        after: append.messages.at(-1)!.hash,
        messages: more,
        client: "curl",
      });
      const list = async (of?: "person" | "clients") =>
        (await context.store.conversations.list(tenant, of && { of })).conversations.map(
          ({ title, client }) => [title, client],
        );
      expect(await list("person")).toEqual([["Mine", undefined]]);
      expect(await list("clients")).toEqual([["Theirs", "claude-cli"]]);
      expect(await list()).toHaveLength(2);
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
  });
}
