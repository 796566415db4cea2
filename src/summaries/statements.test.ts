import { expect, test } from "vitest";
import type { Message } from "../core/types.ts";
import { statementsOf } from "./statements.ts";

test("a message of many lines is read in many steps, so that others have their turn", () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, at) => `The check of shelf ${at} failed because its label is old.`,
  );
  const messages: Message[] = [
    { role: "user", parts: [{ type: "text", text: "Check all shelves." }] },
    { role: "assistant", parts: [{ type: "text", text: lines.join("\n") }] },
    { role: "user", parts: [{ type: "text", text: "Go on." }] },
  ];
  const work = statementsOf(messages, [0, 1, 2]);
  let steps = 0;
  let step = work.next();
  for (; !step.done; step = work.next()) steps++;
  expect(step.value.length).toBeGreaterThan(2_900);
  expect(steps).toBeGreaterThan(3_000);
});
