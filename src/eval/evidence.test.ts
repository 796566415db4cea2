import { expect, test } from "vitest";
import { answerIsThere, isThere, isThereWhole } from "./evidence.ts";
import { indexWords } from "./words.ts";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `word${from + i}x`).join(" ");

test("a paraphrase with most of the words passes", () => {
  const view = indexWords("User wants the invoice exported as PDF, monthly.");
  expect(isThere("Please export my invoice as a PDF monthly", view)).toBe(true);
  expect(isThere("Please delete my account for good", view)).toBe(false);
});

test("a message of which only the start was kept is there, but not whole", () => {
  const message = numbered(0, 200);
  const start = indexWords(numbered(0, 70));
  expect(isThere(message, start)).toBe(true);
  expect(isThereWhole(message, start)).toBe(false);
  expect(isThereWhole(message, indexWords(message))).toBe(true);
});

test("a short rest is judged with the run before it", () => {
  expect(isThereWhole(numbered(0, 70), indexWords(numbered(0, 60)))).toBe(true);
  expect(isThereWhole(numbered(0, 100), indexWords(numbered(0, 60)))).toBe(false);
});

test("an answer without content words can't be looked for", () => {
  expect(answerIsThere("it is", indexWords("it is"))).toBeUndefined();
  expect(answerIsThere("42 euros", indexWords("cost: 42 euros"))).toBe(true);
});
