/** What has nothing to do with the newest message, or says nothing by itself, isn't quoted for it. */
import { describe, expect, it } from "vitest";
import { assistant, quotedFor, result, user, work } from "../../../test/support/recalled.ts";

const QUESTION = "Which phrase opens the turnstile at the harbour gate?";
const FACT = "The turnstile at the harbour gate opens with the phrase copper lantern.";
const ASKED = /phrase|open|turnstile|harbour|gate/i;
describe("while tools are at work", () => {
  it("what only stands beside the passage that is meant isn't quoted", async () => {
    const past = [
      user("Read the sheets."),
      ...work.slice(0, 40),
      assistant("Now let me look at the next sheet with pumps."),
      result("f", FACT),
      assistant("I have read sheets with pumps so far, nothing special."),
      ...work.slice(40),
    ];
    const quoted = await quotedFor(QUESTION, past);
    expect(quoted.join("\n")).toContain("copper lantern");
    for (const text of quoted) expect(text).toMatch(ASKED);
  });
});

describe.each([
  ["a title", "## The turnstile at the harbour gate"],
  ["what only leads to something else", "Here is the phrase for the turnstile at the harbour gate:"],
  ["a word", "Turnstile."],
  ["thanks", "Great, thanks, turnstile!"],
])("%s", (_, text) => {
  const past = [user("Read the sheets."), ...work.slice(0, 40), assistant(text), ...work.slice(40)];

  it("isn't quoted alone", async () => {
    expect(await quotedFor(QUESTION, past)).toEqual([]);
  });

  it("isn't quoted beside what is meant", async () => {
    const quoted = await quotedFor(QUESTION, [...past, result("f", FACT), ...work]);
    expect(quoted).toContain(FACT);
    expect(quoted).not.toContain(text);
  });
});

it("the end of a file's name isn't quoted for it", async () => {
  const past = [
    user("Read the sheets."),
    ...work,
    assistant(
      `Look at turnstile.go. ${"Then there is more about it in words that nobody asked for. ".repeat(12)}`,
    ),
  ];
  for (const text of await quotedFor("What is in turnstile.go?", past))
    expect(text).toContain("turnstile.go");
});

it("between people, a reply without any word of the question is quoted beside what it replies to", async () => {
  const talk = Array.from({ length: 40 }, (_, at) => [
    user(`Anna: Today I painted picture number ${at} with blue and some yellow.`),
    assistant(`Ben: Nice, I cooked soup number ${at} with beans and a little pepper.`),
  ]).flat();
  const past = [
    ...talk,
    user("Anna: Do you know which phrase opens the turnstile at the harbour gate?"),
    assistant("Ben: It was copper lantern, if I am not mistaken, said twice."),
    ...talk,
  ];
  expect((await quotedFor(QUESTION, past)).join("\n")).toContain("copper lantern");
});

it("an emoji asks for nothing, and says nothing by itself", async () => {
  const past = [
    user("Read the sheets."),
    ...work,
    assistant("That went well 🚀 as you can see there."),
    ...work,
  ];
  expect(await quotedFor("Great, thanks 🚀", past)).toEqual([]);
  const cheers = [user("Read the sheets."), ...work, assistant("🎉 🥳 🚀 turnstile harbour"), ...work];
  expect(await quotedFor(QUESTION, cheers)).toEqual([]);
});
