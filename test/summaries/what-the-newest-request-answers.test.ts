/** "Do the rest" could not be read: the list that it answers counted no more than any older one. */
import { expect, test } from "vitest";
import { statementsOf } from "../../src/summaries/material/statements.ts";
import { say, toolRound } from "../support/summary-of.ts";

test("what the newest request answers counts more than what was said before", () => {
  const messages = [
    say("user", "What is open?"),
    say("assistant", "Two places are open: `a.ts` and `b.ts`."),
    say("user", "And what is left of the others?"),
    say("assistant", "Two places are left: `c.ts` and `d.ts`."),
    say("user", "Skip the first, do the rest."),
    ...toolRound("Read", { file_path: "d.ts" }, "x"),
  ];
  const factors = new Map(
    statementsOf(messages, [...messages.keys()]).map(({ message, factor }) => [message, factor]),
  );
  expect(factors.get(3)).toBe(2 * factors.get(1)!);
});
