import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextHash, hash128 } from "./hash.ts";

test("a hash is 32 hexadecimal digits and depends on every character", () => {
  expect(hash128("")).toMatch(/^[0-9a-f]{32}$/);
  const text = "The quick brown fox jumps over the lazy dog";
  const seen = new Set([hash128(text)]);
  for (let i = 0; i < text.length; i++) {
    const changed = hash128(`${text.slice(0, i)}\u0001${text.slice(i + 1)}`);
    expect(seen.has(changed)).toBe(false);
    seen.add(changed);
  }
});

test("texts that differ only in length or trailing zeros differ", () => {
  const hashes = Array.from({ length: 64 }, (_, n) => hash128("\0".repeat(n)));
  expect(new Set(hashes).size).toBe(64);
});

test("different texts have different hashes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(hash128(a) === hash128(b)).toBe(a === b);
    }),
  );
});

test("the memo answers as the function does, also after it forgot", () => {
  const memo = createTextHash(1_000);
  const texts = Array.from({ length: 50 }, (_, n) => `${n} `.repeat(40));
  for (const text of [...texts, ...texts]) expect(memo(text)).toBe(hash128(text));
});
