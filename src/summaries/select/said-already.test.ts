import { describe, expect, it } from "vitest";
import { saidAlready } from "./select.ts";

const isSaid = saidAlready([
  '## Rules\n- The user said: "Never push to the branch release-4 without asking me." #3',
  "- The migration of the orders table was **finished**, and it costs 250 coins a day. #12–18",
]);

describe("what is said elsewhere", () => {
  it.each([
    ["the same sentence", "Never push to the branch release-4 without asking me."],
    ["in other letters and marks", "- never push to the branch `release-4` without asking me!"],
    ["a part of a longer one", "The migration of the orders table was finished"],
    [
      "two sentences from two places",
      "Never push to the branch release-4 without asking me.\nThe migration of the orders table was finished.",
    ],
  ])("%s", (_, text) => expect(isSaid(text)).toBe(true));

  it.each([
    ["a number that begins like another", "was finished, and it costs 25"],
    ["a phrase", "finished"],
    ["nothing", ""],
    [
      "one of two sentences",
      "Never push to the branch release-4 without asking me. Except on Sundays at noon.",
    ],
  ])("isn't %s", (_, text) => expect(isSaid(text)).toBe(false));

  it("is nothing where nothing is said", () => {
    expect(saidAlready([])("Never push to the branch release-4 without asking me.")).toBe(false);
  });
});
