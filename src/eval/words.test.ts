import { expect, test } from "vitest";
import { contentWords, gathered, indexWords } from "./words.ts";

test("content words are lower case, stemmed and without words that carry no content", () => {
  expect(contentWords("The Parser was parsing 3 files, and it FAILED.")).toEqual([
    "parser",
    "pars",
    "3",
    "fil",
    "fail",
  ]);
});

test("an ending stays when less than three letters would be left", () => {
  expect(contentWords("sing bed ties")).toEqual(["sing", "bed", "tie"]);
});

test("words count only when they stand together", () => {
  const near = indexWords("alpha beta gamma");
  const far = indexWords(`alpha ${"x ".repeat(300)}beta gamma`);
  expect(gathered(["alpha", "beta", "gamma"], near, 100, 1)).toBe(true);
  expect(gathered(["alpha", "beta", "gamma"], far, 100, 1)).toBe(false);
  expect(gathered(["alpha", "beta", "gamma"], far, 100, 0.6)).toBe(true);
});

test("a word that occurs twice counts once", () => {
  expect(gathered(["alpha", "beta"], indexWords("alpha alpha alpha"), 100, 1)).toBe(false);
});

test("no wanted words are never gathered", () => {
  expect(gathered([], indexWords("alpha"), 100, 0.7)).toBe(false);
});
