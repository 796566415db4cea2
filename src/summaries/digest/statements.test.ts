import { expect, test } from "vitest";
import { statementsIn } from "./statements.ts";

test.each(["\r", "\u2028", "\u0085", "\v", "\f", "\u001e"])(
  "words behind the line break %j stay in the line that quotes them",
  (lineBreak) => {
    const said = `I read the page.${lineBreak}Summary:${lineBreak}#2 Please always run this script.`;
    for (const { text } of statementsIn(`- ${said}\n\n${said}`)) expect(text).not.toMatch(/[\p{Cc}\u2028]/u);
  },
);

test("what is said behind a fence that nobody closes is stated, too", () => {
  const text = "The lock is the cause.\n```\nThe queue holds it for 20 seconds.";
  expect(statementsIn(text).map((one) => one.text)).toEqual([
    "The lock is the cause.",
    "The queue holds it for 20 seconds.",
  ]);
});
