import fc from "fast-check";
import { expect, test } from "vitest";
import { byProof } from "../../../test/support/proof.ts";
import { createKnownBodies } from "./known-bodies.ts";

const word = (n: number) => `word${(n * 7919) % 9973} "quoted\\" \\ é 😀 `;
const text = (n: number) => Array.from({ length: 60 }, (_, i) => word(n * 61 + i)).join("");
const message = (n: number) => ({ role: n % 2 === 0 ? "user" : "assistant", content: text(n) });
const body = (count: number, more: object = {}) =>
  Buffer.from(
    JSON.stringify({ model: "m", messages: Array.from({ length: count }, (_, n) => message(n)), ...more }),
  );

test("a longer version of a body has the same messages as the one before, as the same objects", () => {
  const known = createKnownBodies();
  const first = known.parse(body(20, { stream: true }));
  const second = known.parse(body(23, { stream: true, tools: [{ a: 1 }] }));
  expect(second).toEqual(JSON.parse(body(23, { stream: true, tools: [{ a: 1 }] }).toString()));
  const [before, after] = [first, second].map((one) => one["messages"] as unknown[]);
  for (let n = 0; n < 20; n++) expect(after![n]).toBe(before![n]);
});

test("a changed message and everything behind it is read anew", () => {
  const known = createKnownBodies();
  const first = known.parse(body(20));
  const changed = JSON.parse(body(22).toString()) as { messages: { content: string }[] };
  changed.messages[18]!.content += "!";
  const second = known.parse(Buffer.from(JSON.stringify(changed)));
  expect(second).toEqual(changed);
  const [before, after] = [first, second].map((one) => one["messages"] as unknown[]);
  expect(after![17]).toBe(before![17]);
  expect(after![18]).not.toBe(before![18]);
});

test("fields that come twice are read as a parser reads them", () => {
  const known = createKnownBodies();
  known.parse(body(20));
  for (const end of [',"messages":[]}', ',"model":"other"}', ',"input":[1]}']) {
    const twice = Buffer.from(body(21).toString().slice(0, -1) + end);
    expect(known.parse(twice)).toEqual(JSON.parse(twice.toString()));
  }
});

test("what is no JSON behind a known beginning is refused as usual", () => {
  const known = createKnownBodies();
  known.parse(body(20));
  const whole = body(21).toString();
  for (const broken of [whole.slice(0, -1), `${whole}x`, whole.slice(0, -2), whole.replace(/\]\}$/, ",]}")])
    expect(() => known.parse(Buffer.from(broken))).toThrow(/valid JSON/);
  expect(() =>
    known.parse(Buffer.concat([body(21).subarray(0, -2), Buffer.from([0xff, 0x5d, 0x7d])])),
  ).toThrow(/UTF-8/);
});

test("it never holds more than it may", () => {
  const known = createKnownBodies(400_000);
  for (let n = 0; n < 200; n++) {
    const other = Buffer.from(
      JSON.stringify({
        messages: [{ n, text: text(n) }, ...Array.from({ length: 8 }, (_, m) => message(n + m))],
      }),
    );
    expect(known.parse(other)).toEqual(JSON.parse(other.toString()));
  }
});

test("whatever bodies come in whatever order, they read as a parser reads them", () => {
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.integer(),
    fc.constant(null),
    fc.dictionary(fc.string(), fc.string()),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(30), fc.nat(30), part, fc.nat(2)), { minLength: 2, maxLength: 12 }),
      (requests) => {
        const known = createKnownBodies();
        for (const [count, at, value, spaces] of requests) {
          const messages: unknown[] = Array.from({ length: 12 + count }, (_, n) => message(n));
          if (at < messages.length) messages[at] = { role: "user", content: value };
          const raw = JSON.stringify({ value, messages, count }, null, spaces);
          expect(known.parse(Buffer.from(raw))).toEqual(JSON.parse(raw));
        }
      },
    ),
    { numRuns: byProof({ sample: 40, more: 200, all: 2_000 }) },
  );
});
