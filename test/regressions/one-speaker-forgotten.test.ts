import { expect, it } from "vitest";
import { say, summaryOf } from "../support/summary-of.ts";

it("keeps what tells something, whoever said it, and leaves phrases out", () => {
  const facts = [
    ["user", "Ann: I adopted a greyhound called Pepper in Lisbon last spring."],
    ["assistant", "Ben: My sister Clara opened a pottery studio near the harbour."],
    ["user", "Ann: The doctor moved my knee surgery to the 14th of October."],
    ["assistant", "Ben: We sold the caravan and bought a violin from Cremona."],
  ] as const;
  const phrases = [
    say("assistant", "Ben: Wow, that is so great to hear!"),
    say("user", "Ann: Thanks, that really means a lot to me!"),
    say("assistant", "Ben: Yes, it is so good to talk to you!"),
    say("user", "Ann: Really great, so good to hear that!"),
  ];
  const messages = facts.flatMap(([role, text], at) => [
    say(role, text),
    ...phrases.slice(at % 2),
    ...phrases,
    ...phrases,
  ]);
  const text = summaryOf([...messages, say("user", "Ann: See you soon!")], 160);
  for (const [, fact] of facts) expect(text).toContain(fact.replace(/^\w+: /, ""));
});

it("keeps answers beside questions in talk with an assistant", () => {
  const parts = Array.from({ length: 30 }, (_, at) => [
    say(
      "user",
      `Which adapter do you recommend for part ${at}, given what we said about the rack and its ${at} slots?`,
    ),
    say(
      "assistant",
      `I recommend the adapter XJ-${100 + at}. ${"It fits and is sold everywhere. ".repeat(30)}`,
    ),
  ]).flat();
  const text = summaryOf([...parts, say("user", "Which adapter did you recommend for part 3?")], 1_500);
  expect([...text.matchAll(/adapter XJ-\d+/g)].length).toBeGreaterThan(3);
});
