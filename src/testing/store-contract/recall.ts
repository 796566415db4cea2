import { describe, expect, it } from "vitest";
import type { Statistics } from "../../recall/candidates.ts";
import { openRecall, searchIndex } from "../../recall/open-recall.ts";
import { termsOf } from "../../recall/terms.ts";
import type { NewMessage } from "../../stores/server-store.ts";
import { type ContractContext, START } from "./samples.ts";

/** A transcript of texts, by turns of a user and an assistant. */
function talk(name: string, ...texts: readonly string[]): NewMessage[] {
  return texts.map((content, i) => {
    const role = i % 2 === 0 ? ("user" as const) : ("assistant" as const);
    return {
      hash: `${name}/${texts.slice(0, i + 1).join("/")}`,
      role,
      wire: JSON.stringify({ role, content }),
      at: START,
    };
  });
}

const BEDS = [
  "Which database does staging use?",
  "Staging uses amber-7, see src/config/database.ts.",
  "日本語の庭について話しましょう。",
  "The garden has three beds: rye, clover and a fallow one.",
  "Let us plant rye in the second bed.",
  "Rye goes into the second bed in October.",
  `A long note about nothing. ${"Stones and water and wind. ".repeat(150)} The key is under the blue stone.`,
  "Noted.",
] as const;
/** Each sign stands in one message alone. */
const SIGNS = [
  "The launch went well 🚀🚀",
  "Good. The hosting is 40 € a month.",
  "The parser is written in C++17, isn't it?",
  "Yes, and the editor's plug-in in C#.",
  "The order is draft → review → merged.",
  "👍🏽 agreed, all of that is right",
  "The office in 🇨🇭 opens in May.",
  "Noted, see § 7 of the contract.",
] as const;
const SOUGHT = [
  ["🚀", 0],
  ["€", 1],
  ["what costs €?", 1],
  ["c++", 2],
  ["C#", 3],
  ["→", 4],
  ["👍", 5],
  ["🇨🇭", 6],
  ["§", 7],
] as const;
const TERMS = termsOf("garden stone");
const HEAD = JSON.stringify([{ role: "system", content: "You help." }]);

export function describeRecall(context: ContractContext): void {
  const { tenants, add } = context;
  const search = async (tenant: string, query: string, conversation?: string) => {
    const index = context.store.recallIndex(tenant, conversation === undefined ? {} : { conversation });
    const { hits } = await searchIndex(index).search(query, { limit: 50, tokens: 20_000 });
    return hits;
  };
  const numbersOf = async (tenant: string, terms: readonly string[], conversation?: string) => {
    const index = context.store.recallIndex(tenant, conversation === undefined ? {} : { conversation });
    const { statistics, messages } = await index.candidates({ terms, limit: 400 });
    return { ...plain(statistics, terms), found: messages.length };
  };
  const plain = ({ messages, passages, terms, frequency }: Statistics, asked: readonly string[]) => ({
    messages,
    passages,
    terms,
    frequencies: asked.map((term) => frequency(term)),
  });

  describe("recall", () => {
    it("ranks what it finds in a conversation as if the transcript stood in memory", async () => {
      const [tenant] = tenants();
      const messages = talk("r", ...BEDS);
      const { conversation } = await add(tenant, { messages, head: HEAD, dialect: "openai-chat" });
      const { openaiChat } = await import("../../apis/index.ts");
      const transcript = [
        { role: "system", content: "You help." },
        ...messages.map(({ wire }) => JSON.parse(wire)),
      ];
      const recall = openRecall({ dialect: openaiChat, transcript: transcript as never });
      for (const query of [
        "name of the staging database",
        "second bed rye",
        "database.ts",
        "庭",
        "blue stone key",
      ]) {
        const { hits } = await recall.search(query, { limit: 50, tokens: 20_000 });
        const found = await search(tenant, query, conversation);
        expect(found[0]?.index, query).toBe(hits[0]?.index);
        expect(found[0]?.text, query).toBe(hits[0]?.text);
        // The head isn't a message of the conversation.
        const others = hits.map(({ index }) => index).filter((index) => index > 0);
        expect(new Set(found.map(({ index }) => index))).toEqual(new Set(others));
      }
    });

    it("finds emoji, signs and names that are made of them, ranked as in memory", async () => {
      const [tenant] = tenants();
      const messages = talk("signs", ...SIGNS);
      const { conversation } = await add(tenant, { messages, dialect: "openai-chat" });
      const { openaiChat } = await import("../../apis/index.ts");
      const transcript = messages.map(({ wire }) => JSON.parse(wire));
      const recall = openRecall({ dialect: openaiChat, transcript: transcript as never });
      for (const [query, index] of SOUGHT) {
        const found = await search(tenant, query, conversation);
        expect(found[0]?.index, query).toBe(index);
        const { hits } = await recall.search(query, { limit: 50, tokens: 20_000 });
        expect(
          found.map((hit) => [hit.index, hit.text]),
          query,
        ).toEqual(hits.map((hit) => [hit.index, hit.text]));
        expect((await search(tenant, query))[0], query).toMatchObject({ conversation, index });
      }
      await context.store.conversations.delete(tenant, conversation);
      for (const [query] of SOUGHT) expect(await search(tenant, query), query).toEqual([]);
    });

    it("finds what was appended just before, in all conversations of a tenant and in none of another", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: talk("a", "The password is xylophone.") });
      await add(tenant, { messages: talk("b", "Nothing of that kind.", "Indeed.") });
      await add(other, { messages: talk("c", "A xylophone is an instrument.", "Yes.", "xylophone") });
      const hits = await search(tenant, "xylophone");
      expect(hits.map((hit) => [hit.conversation, hit.index])).toEqual([[conversation, 0]]);
      expect((await numbersOf(tenant, termsOf("xylophone"))).messages).toEqual({
        user: 2,
        assistant: 1,
        data: 0,
      });
      await add(tenant, {
        conversation,
        after: "a/The password is xylophone.",
        messages: talk("d", "Zither."),
      });
      expect((await search(tenant, "zither"))[0]).toMatchObject({ conversation, index: 1 });
      expect(await search(other, "zither")).toEqual([]);
    });

    it("counts what stands there, and nothing that was deleted", async () => {
      const [tenant] = tenants();
      const nothing = await numbersOf(tenant, ["garden"]);
      expect(nothing).toMatchObject({ found: 0, passages: { user: 0, assistant: 0, data: 0 } });
      await add(tenant, { messages: talk("kept", "A garden.", "A house."), dialect: "openai-chat" });
      const before = await numbersOf(tenant, TERMS);
      const { conversation } = await add(tenant, { messages: talk("gone", ...BEDS), dialect: "openai-chat" });
      const during = await numbersOf(tenant, TERMS);
      expect(during.frequencies[0]).toEqual({ user: 1, assistant: 1, data: 0 });
      // A long message has several passages, and each counts.
      expect(during.frequencies[1]!.user).toBeGreaterThan(1);
      await context.store.conversations.delete(tenant, conversation);
      expect(await numbersOf(tenant, TERMS)).toEqual(before);
      expect(await search(tenant, "blue stone")).toEqual([]);
    });

    it("finds what stands on the path that is shown, and nothing of other branches", async () => {
      const [tenant] = tenants();
      const messages = talk("o", "What is it?", "It is a xylophone.");
      const { conversation } = await add(tenant, { messages });
      expect(await search(tenant, "xylophone", conversation)).toHaveLength(2);
      await add(tenant, { conversation, after: messages[0]!.hash, messages: talk("p", "It is a zither.") });
      expect(await search(tenant, "xylophone", conversation)).toEqual([]);
      expect((await search(tenant, "zither", conversation))[0]).toMatchObject({ index: 1 });
    });

    it("finds a message in each conversation that holds it, and in what was imported", async () => {
      const [tenant] = tenants();
      const messages = talk("f", "One.", "Two.", "The xylophone.");
      const { conversation } = await add(tenant, { messages });
      const fork = await add(tenant, { messages: talk("g", "Another xylophone.") });
      const found = (await search(tenant, "xylophone")).filter(({ text }) => text.includes("xylophone"));
      expect(new Set(found.map((hit) => hit.conversation))).toEqual(
        new Set([conversation, fork.conversation]),
      );
      const copy = await context.open();
      try {
        await copy.upkeep.importAll(context.store.upkeep.exportAll({ tenant }));
        const { hits } = await searchIndex(copy.recallIndex(tenant)).search("xylophone");
        expect(new Set(hits.map((hit) => hit.conversation))).toEqual(
          new Set([conversation, fork.conversation]),
        );
      } finally {
        await copy.close();
      }
    });

    it("leaves a message alone that its dialect can't read", async () => {
      const [tenant] = tenants();
      const odd = { hash: "odd", role: "user" as const, wire: '"just a text"', at: START };
      await add(tenant, { messages: [odd, ...talk("odd", "A xylophone.")], dialect: "openai-chat" });
      expect((await search(tenant, "xylophone")).length).toBeGreaterThan(0);
    });
  });
}
