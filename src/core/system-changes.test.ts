import { expect, test } from "vitest";
import { systemChanges, systemChangeWords, type WatchedPrompt, watchPrompt } from "./system-changes.ts";

const after = (...texts: string[]) =>
  systemChanges(texts.reduce<WatchedPrompt | undefined>(watchPrompt, undefined)!);

test("a prompt with a date is told of from its second change on, with the place where it differs", () => {
  const prompt = (time: string) =>
    `You are a helpful assistant. ${"Be brief. ".repeat(20)}Now it is ${time}. Use tools.`;
  expect(after(prompt("10:01"))).toBeUndefined();
  expect(after(prompt("10:01"), prompt("10:02"))).toBeUndefined();
  const told = after(prompt("10:01"), prompt("10:02"), prompt("10:03"));
  expect(told).toMatchObject({ requests: 3, changes: 2 });
  expect(told!.is).toMatch(/^….*Now it is 10:03\. Use tools\.$/);
  expect(told!.was).toContain("Now it is 10:02.");
  expect(systemChangeWords(told!)).toContain("in 2 of 3 requests");
  // The newest request brought no change.
  expect(after(prompt("10:01"), prompt("10:02"), prompt("10:03"), prompt("10:03"))).toBeUndefined();
});

test("a person who changes it now and then isn't told of", () => {
  expect(after("a", "a", "a", "b", "b", "b", "b", "b", "c")).toBeUndefined();
  expect(after("a", "b", "a")).toMatchObject({ was: "b", is: "a" });
});

test("what is shown is one line of whole characters, however long the prompts are", () => {
  const long = (end: string) => `${"👩‍👩‍👧\n".repeat(3_000)}${end}${"z".repeat(3_000)}`;
  const { was, is } = after(long("a"), long("b"), long("c"))!;
  for (const text of [was, is]) {
    expect(text.length).toBeLessThan(120);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain("\n");
  }
});
