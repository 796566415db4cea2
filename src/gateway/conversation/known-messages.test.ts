import fc from "fast-check";
import { expect, test } from "vitest";
import { byProof } from "../../../test/support/proof.ts";
import type { Json } from "../../apis/shared/fields.ts";
import { parseExact } from "../../core/json.ts";
import { createKnownMessages } from "./memory.ts";

/** What TypeScript doesn't know of JSON yet. */
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };
const word = (n: number) => `word${(n * 7919) % 9973} "quoted\\" \\ é 😀 `;
const text = (n: number) => Array.from({ length: 60 }, (_, i) => word(n * 61 + i)).join("");
const message = (n: number) => ({ role: n % 2 === 0 ? "user" : "assistant", content: text(n) });
const body = (count: number, more: object = {}) => ({
  model: "m",
  messages: Array.from({ length: count }, (_, n) => message(n)),
  ...more,
});
const recogniser = (maxBytes?: number) => {
  const recognise = createKnownMessages(maxBytes);
  return (value: object) => {
    const json = JSON.stringify(value);
    return recognise(parseExact(json) as Json, json.length);
  };
};

test("a longer version of a body has the same messages as the one before, as the same objects", () => {
  const recognise = recogniser();
  const first = recognise(body(20, { stream: true }));
  const longer = body(23, { stream: true, tools: [{ a: 1 }] });
  const second = recognise(longer);
  expect(JSON.stringify(second)).toBe(JSON.stringify(longer));
  const [before, after] = [first, second].map((one) => one["messages"] as unknown[]);
  for (let n = 0; n < 20; n++) expect(after![n]).toBe(before![n]);
});

test("a changed message and everything behind it is new", () => {
  const recognise = recogniser();
  const first = recognise(body(20));
  const changed = body(22);
  changed.messages[18]!.content += "!";
  const second = recognise(changed);
  expect(second).toEqual(changed);
  const [before, after] = [first, second].map((one) => one["messages"] as unknown[]);
  expect(after![17]).toBe(before![17]);
  expect(after![18]).not.toBe(before![18]);
});

test.each([
  ["fields in another order", { content: text(0), role: "user" }],
  ["a field more", { ...message(0), name: "x" }],
  ["a list in the place of an object", { role: "user", content: [] }],
  ["a number with other digits", { role: "user", n: rawJSON("12345678901234567891") }],
  ["an object that looks like a number", { role: "user", n: { rawJSON: "12345678901234567890" } }],
])("a message with %s leaves as it came", (_name, other) => {
  for (const first of [
    message(0),
    { role: "user", content: {} },
    { role: "user", n: rawJSON("12345678901234567890") },
  ]) {
    const recognise = recogniser();
    const [before, after] = [first, other].map((one) => ({
      messages: [...body(2).messages, one, ...body(9).messages],
    }));
    recognise(before!);
    expect(JSON.stringify(recognise(after!))).toBe(JSON.stringify(after));
  }
});

test("branches of one conversation are remembered beside each other", () => {
  const recognise = recogniser();
  const branch = (end: number) => ({ messages: [...body(20).messages, message(end)] });
  const [left, right] = [recognise(branch(100)), recognise(branch(200))];
  expect((recognise(branch(100))["messages"] as unknown[])[20]).toBe((left["messages"] as unknown[])[20]);
  expect((recognise(branch(200))["messages"] as unknown[])[20]).toBe((right["messages"] as unknown[])[20]);
});

test("it never holds more than it may", () => {
  const recognise = recogniser(400_000);
  for (let n = 0; n < 200; n++) {
    const other = {
      messages: [{ n, text: text(n) }, ...Array.from({ length: 8 }, (_, m) => message(n + m))],
    };
    expect(recognise(other)).toEqual(other);
  }
  const first = { messages: [{ n: 0, text: text(0) }, ...Array.from({ length: 8 }, (_, m) => message(m))] };
  const fresh = JSON.parse(JSON.stringify(first)) as Json;
  expect(createKnownMessages(400_000)(fresh, 1)).toBe(fresh);
});

test("whatever bodies come in whatever order, they stay what they are", () => {
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.jsonValue(),
    fc.dictionary(fc.string(), fc.string()),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(30), fc.nat(30), part), { minLength: 2, maxLength: 12 }),
      (requests) => {
        const recognise = recogniser();
        for (const [count, at, value] of requests) {
          const messages: unknown[] = Array.from({ length: 12 + count }, (_, n) => message(n));
          if (at < messages.length) messages[at] = { role: "user", content: value };
          const whole = { value, messages, count };
          expect(JSON.stringify(recognise(whole))).toBe(JSON.stringify(JSON.parse(JSON.stringify(whole))));
        }
      },
    ),
    { numRuns: byProof({ sample: 40, more: 200, all: 2_000 }) },
  );
});
