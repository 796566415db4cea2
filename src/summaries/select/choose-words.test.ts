import { expect, test } from "vitest";
import { userWords } from "../material/user-words.ts";
import { chooseWords } from "./choose-quotes.ts";
import { rarityIn, richestFirst } from "./choose-talk.ts";

const cost = (text: string): number => text.length / 4;

function talk(texts: readonly string[], budget: number) {
  const messages = texts.map((text) => ({
    role: "user" as const,
    parts: [{ type: "text" as const, text }],
  }));
  return chooseWords({
    words: userWords(messages, messages.keys()),
    budget,
    cost,
    manner: "talk",
    byRichness: richestFirst(rarityIn(texts), cost),
  });
}

const long = (at: number) => `Question ${at} begins here. ${`It goes on about matter ${at}. `.repeat(60)}`;
const texts = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? long(at) : `Short remark ${at}.`));

test("in talk the long messages are shortened to one length, so that nobody's are left out", () => {
  const chosen = talk(texts, 4_000);
  expect(chosen).toHaveLength(texts.length);
  expect(chosen.map(({ text }) => text)).toContain("Short remark 7.");
  const lengths = chosen.map(({ text }) => text.length).filter((length) => length > 100);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(40);
  expect(chosen.reduce((sum, { text }) => sum + cost(text), 0)).toBeLessThanOrEqual(4_000);
});

test("all of them whole where they fit", () => {
  expect(new Set(talk(texts, 100_000).map(({ text }) => text))).toEqual(
    new Set(texts.map((text) => text.trim())),
  );
});

test("where that would leave only stumps, whole messages come first", () => {
  const chosen = talk(texts, 600);
  expect(chosen.length).toBeLessThan(texts.length);
  expect(chosen.filter(({ text }) => text.startsWith("Short remark"))).toHaveLength(20);
});
