import { expect, it } from "vitest";
import type { SearchHit } from "./conversation.ts";
import { bestHits, keywords } from "./quote-answer.ts";

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
