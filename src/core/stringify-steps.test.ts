import { expect, it } from "vitest";
import { runNow } from "./steps.ts";
import { stringifySteps } from "./stringify-steps.ts";

const long = (unit: string) => unit.repeat(Math.ceil(1_100_000 / unit.length));

it.each([
  ["quotes and line breaks", long('a"\n\\')],
  ["pairs of surrogates", `x${long("😀")}`],
  ["halves of pairs", long("\ud83da")],
  ["the sign that stands for a long text", `\u0001precis long text${long("a")}`],
])("writes a long text of %s as JSON does", (_name, text) => {
  const value = {
    role: "user",
    content: [{ text }, "short", text, { deep: { text } }],
    n: 1,
    not: undefined,
  };
  expect(runNow(stringifySteps(value))).toBe(JSON.stringify(value));
});

it("a text of the same words as the mark of a long one stays what it is", () => {
  const value = ["\u0001precis long text", long("a")];
  expect(runNow(stringifySteps(value))).toBe(JSON.stringify(value));
});

it("stops between the pieces of a long text", () => {
  const steps = stringifySteps({ text: long("a") });
  let stops = 0;
  while (!steps.next().done) stops++;
  expect(stops).toBeGreaterThan(3);
});

it("writes what is nested deeper than a stack is", () => {
  let value: unknown = long("a");
  for (let level = 0; level < 20_000; level++) value = [value];
  expect(runNow(stringifySteps(value))).toHaveLength(1_100_000 + 2 + 40_000);
});
