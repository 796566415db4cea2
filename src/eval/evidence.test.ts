import { expect, test } from "vitest";
import { answerIsThere, indexWords, isThere } from "./words.ts";

test("a paraphrase with most of the words passes", () => {
  const view = indexWords("User wants the invoice exported as PDF, monthly.");
  expect(isThere("Please export my invoice as a PDF monthly", view)).toBe(true);
  expect(isThere("Please delete my account for good", view)).toBe(false);
});

test("an answer without content words can't be looked for", () => {
  expect(answerIsThere("it is", indexWords("it is"))).toBeUndefined();
  expect(answerIsThere("42 euros", indexWords("cost: 42 euros"))).toBe(true);
});
