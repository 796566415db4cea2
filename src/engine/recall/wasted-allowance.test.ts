/** What automatic recall may quote is little, so it isn't spent on the same line twice or on crumbs, and not denied to what ranks first. */
import { describe, expect, it } from "vitest";
import { assistant, call, quotedFor, result, user, work } from "../../../test/support/recalled.ts";

describe("a file that was read twice", async () => {
  const line = "The turnstile at the harbour gate opens with the phrase copper lantern.";
  const past = [
    user("Read the sheets."),
    ...work,
    call("first"),
    result(
      "first",
      `${line}\nIts keeper is Maren, who opens the harbour gate at dawn and lives above the turnstile with a dog.`,
    ),
    ...work,
    call("second"),
    result(
      "second",
      `${line}\nThe turnstile beside it was painted in green by somebody who came to the harbour for its boats.`,
    ),
    ...work,
  ];
  const quoted = (await quotedFor("Which phrase opens the turnstile at the harbour gate?", past)).join("\n");

  it("has a line quoted once", () => {
    expect(quoted.split("copper lantern")).toHaveLength(2);
  });

  it("has both quoted for what only one of them says", () => {
    expect(quoted).toContain("Maren");
    expect(quoted).toContain("green");
  });
});

it("what is left of a long passage is no crumb beside another one", async () => {
  const fact = "The turnstile at the harbour gate opens with the phrase copper lantern.";
  const long = [
    "Nobody opens the harbour gate by a phrase while the turnstile creaks.",
    ...Array.from(
      { length: 4 },
      (_, at) => `Someone counted ${at} boats in the rain, and left again at noon.`,
    ),
  ].join(" ");
  const past = [user("Read the sheets."), ...work, result("f", fact), ...work, assistant(long), ...work];
  const question = "Which phrase opens the turnstile at the harbour gate?";
  expect(await quotedFor(question, past)).toEqual([fact, expect.stringContaining("creaks")]);
  const most = Math.ceil(fact.length / 4) + 5;
  expect(await quotedFor(question, past, most + 26)).toEqual([fact]);
});

it("a passage that is cut is quoted where nothing else is", async () => {
  const long = [
    "The turnstile at the harbour gate opens with a phrase.",
    ...Array.from(
      { length: 4 },
      (_, at) => `Someone counted ${at} boats in the rain, and left again at noon.`,
    ),
  ].join(" ");
  const past = [user("Read the sheets."), ...work, assistant(long), ...work];
  expect(await quotedFor("Which phrase opens the turnstile at the harbour gate?", past, 25)).toEqual([
    "The turnstile at the harbour gate opens with a phrase. …",
  ]);
});

it("between people, what ranks above the passage with the most words of the question is quoted beside it", async () => {
  const talk = Array.from({ length: 40 }, (_, at) => [
    user(`Anna: Today I painted picture number ${at} with blue and some yellow.`),
    assistant(`Ben: Nice, I cooked soup number ${at} with beans and a little pepper.`),
  ]).flat();
  const past = [
    ...talk,
    user("Anna: The hills, I think."),
    assistant("Ben: Slowly, please."),
    user("Anna: A phrase?"),
    assistant("Ben: Copper lantern, at the turnstile, that is what Maren said."),
    user("Anna: Who has dogs?"),
    assistant("Ben: Long walks."),
    user("Anna: A gate."),
    ...talk,
    user(
      "Anna: I wonder who invented the gate, and why it goes so slowly when all of us come back from far away in the evening with our dogs.",
    ),
    ...talk,
  ];
  const quoted = await quotedFor(
    "Who invented the phrase that opens the gate so slowly after walks in the hills with dogs, at the turnstile?",
    past,
  );
  expect(quoted.join("\n")).toContain("slowly when all of us");
  expect(quoted.join("\n")).toContain("Copper lantern");
});
