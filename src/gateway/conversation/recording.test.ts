import { expect, it } from "vitest";
import { createHeadMark } from "./recording.ts";

it("a mark doesn't grow with the system prompt, and tells two of them apart", () => {
  const mark = createHeadMark();
  const long = "You are an agent. ".repeat(30_000);
  const marks = [`${long}1`, `${long}2`, `1${long}`, "short", ""].map(mark);
  expect(new Set(marks).size).toBe(marks.length);
  expect(Math.max(...marks.map((one) => one.length))).toBeLessThan(100);
  expect([`${long}1`, `${long}2`, `1${long}`, "short", ""].map(mark)).toEqual(marks);
});
