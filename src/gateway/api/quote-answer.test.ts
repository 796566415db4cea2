import { expect, it } from "vitest";
import type { SearchHit } from "./conversation.ts";
import { bestHits, canAnswer, keywords, quoteAnswer } from "./offline-answer.ts";

const hit = (index: number): SearchHit => ({
  conversation: "c",
  title: "",
  index,
  role: "user",
  excerpt: "",
  visible: true,
});

it("looks for the words that say something", () => {
  expect(keywords("What did I say about the VACUUM in src/app.ts?")).toEqual(["src/app.ts", "vacuum"]);
  expect(keywords("And you?")).toEqual([]);
});

it("prefers messages with more of the words", () => {
  expect(bestHits([[hit(3), hit(7)], [hit(7)]]).map(({ index }) => index)).toEqual([3, 7]);
  const many = [1, 2, 3, 4, 5, 6].map(hit);
  expect(bestHits([many, [hit(1)]]).map(({ index }) => index)).toEqual([1, 4, 5, 6]);
});

it.each(["Hello!", "Hi", "Good morning", "Hey, who are you?", "What can you do?", "Hallo"])(
  "answers %j by saying what it is, and doesn't quote that later",
  async (question) => {
    const recall = () => Promise.reject(new Error("nothing is looked for"));
    for (const isFirst of [true, false]) {
      const answer = await quoteAnswer(question, { recall, lead: 0, isFirst });
      expect(answer).toContain("I'm the offline assistant of precis, not a language model");
      expect(answer).toContain("connect a model");
      expect(answer.includes("nothing in it")).toBe(isFirst);
      expect(canAnswer("Where is the key?")("assistant", answer)).toBe(false);
    }
  },
);
