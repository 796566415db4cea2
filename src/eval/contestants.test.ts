import { expect, test } from "vitest";
import { round, say, user } from "../../test/support/eval-cases.ts";
import { charsCounter } from "../tokens/index.ts";
import { precis } from "./contestants.ts";

const counter = charsCounter();
const messages = [
  user("Please rename loadSettings to readSettings in /app/src/settings.ts"),
  ...Array.from({ length: 40 }, (_, i) => [
    ...round(
      "Read",
      { file_path: `/app/src/part${i}.ts` },
      `export const part${i} = ${i};\n${"// filler text\n".repeat(40)}`,
    ),
  ]).flat(),
  say("Half of it is done."),
  user("Go on"),
];
const all = { messages, from: 0, to: messages.length };
const total = counter.count(messages.map((message) => message.content).join("\n"));

test("precis fills the budget, keeps the last user message, and gives the same view twice", async () => {
  const budget = Math.floor(total / 4);
  const contestant = precis({ counter });
  const view = await contestant.view({ ...all, budget, count: counter.count });
  expect(counter.count(view)).toBeLessThanOrEqual(budget);
  expect(counter.count(view)).toBeGreaterThan(budget / 2);
  expect(view).toContain("Go on");
  expect(view).toContain("loadSettings");
  expect(await contestant.view({ ...all, budget, count: counter.count })).toBe(view);
});
