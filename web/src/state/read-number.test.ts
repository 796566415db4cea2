/** A number is read in the unit of its box; what would be stored as something else than was meant is queried instead. */
import { describe, expect, it } from "vitest";
import { inPercent, readNumber, sayInPercent } from "./read-number.ts";

it.each([
  ["tokens", "32k", 32_000],
  ["tokens", "-5", -5],
  ["tokens", "0", 0],
  ["tokens", "1.5", 1.5],
  ["tokens", "1.500", 1_500],
  ["percent", "80 %", 0.8],
  ["percent", "0.5%", 0.005],
  ["threshold", "80", 0.8],
  ["threshold", "100%", 1],
  ["threshold", "12k", 12_000],
  ["threshold", "0.5k", 500],
  ["room", "20%", 0.2],
  ["room", "2000", 2_000],
  ["room", "-5", -5],
  ["count", "2.5", 2.5],
  ["number", "0,7", 0.7],
] as const)("%s: %s", (kind, text, value) => {
  expect(readNumber(kind, text)).toEqual({ value });
});

describe("what can't be meant is never stored", () => {
  it.each([
    ["tokens", "abc", "“abc” isn't a number."],
    ["percent", "", "“” isn't a number."],
    ["count", "many", "“many” isn't a number."],
    ["tokens", "50%", "“50%” isn't a number."],
    ["count", "50 %", "“50 %” isn't a number."],
    ["percent", "0.8", "0.8 %? Did you mean 80 %?"],
    ["threshold", "0,8", "0,8 %? Did you mean 80 %?"],
    ["room", "0.2", "0.2 %? Did you mean 20 %?"],
    ["percent", "-5", "-5 % is too little."],
    ["threshold", "0", "0 % is too little."],
    ["percent", "150", "150 % is more than 100 %."],
    ["threshold", "150", "150 % is more than 100 %."],
    ["room", "200%", "200 % is more than 100 %."],
    ["threshold", "99999999999", "99,999,999,999 tokens exceed the window of 32,000."],
    ["threshold", "33k", "33,000 tokens exceed the window of 32,000."],
  ] as const)("%s: %s", (kind, text, message) => {
    const read = readNumber(kind, text, 32_000);
    expect(read).toMatchObject({ wrong: { fix: expect.stringMatching(/^Enter /) } });
    expect("wrong" in read && read.wrong.message).toBe(message);
  });
});

it("what the server says of shares is said in percent", () => {
  expect(
    sayInPercent({
      message: "0.6 is above 0.5: the next compaction would be due almost at once.",
      fix: "Use at most 0.5.",
    }),
  ).toEqual({
    message: "60 % is above 50 %: the next compaction would be due almost at once.",
    fix: "Use at most 50 %.",
  });
  expect(sayInPercent({ message: "0.4 isn't below startAt (0.3).", fix: "Lower landAt." })).toEqual({
    message: "40 % isn't below “Compact at” (30 %).",
    fix: "Lower “Shrink to”.",
  });
  expect([0.8, 0.07, 0.125].map(inPercent)).toEqual(["80", "7", "12.5"]);
});
