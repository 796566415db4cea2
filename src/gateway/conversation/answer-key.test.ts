import { expect, test } from "vitest";
import { answerKey } from "./transcript-record.ts";

test("an answer is found by its id as it is", () => {
  for (const id of ["resp_68a1", "resp_bGl0ZWxsbTpvcGVuYWk=", "0198c2f4-7d3e"])
    expect(answerKey(id)).toBe(id);
});

test("ids that can't be stored, or shouldn't be, are told apart all the same", () => {
  const secret = `sk-${"a1b2".repeat(10)}`;
  const ids = ["", "a\0b", "line\nline", "\ud800", "x".repeat(5_000), "x".repeat(5_001), secret];
  const keys = ids.map(answerKey);
  expect(new Set(keys).size).toBe(ids.length);
  for (const key of keys) expect(key).toMatch(/^hash:[\x21-\x7e]{10,100}$/);
  expect(ids.map(answerKey)).toEqual(keys);
});
