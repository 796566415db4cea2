import fc from "fast-check";
import { expect, test } from "vitest";
import { contentHash, keyedHash, portableSha256, shareOf } from "./hash.ts";

test("a hash is 43 signs of base64url and depends on every character", () => {
  expect(contentHash("")).toBe("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  const text = "The quick brown fox jumps over the lazy dog";
  const seen = new Set([contentHash(text)]);
  for (let i = 0; i < text.length; i++) {
    const changed = contentHash(`${text.slice(0, i)}\u0001${text.slice(i + 1)}`);
    expect(seen.has(changed)).toBe(false);
    seen.add(changed);
  }
});

test("texts that differ only in length or trailing zeros differ", () => {
  const hashes = Array.from({ length: 64 }, (_, n) => contentHash("\0".repeat(n)));
  expect(new Set(hashes).size).toBe(64);
});

test("different texts have different hashes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(contentHash(a) === contentHash(b)).toBe(a === b);
    }),
  );
});

test("a long text that was hashed before has the same name, whatever was hashed in between", () => {
  const texts = Array.from({ length: 50 }, (_, n) => `${n} `.repeat(9_000));
  const named = texts.map(contentHash);
  expect(new Set(named).size).toBe(texts.length);
  expect(texts.map((text) => contentHash(`${text} `.slice(0, -1)))).toEqual(named);
  for (const [at, text] of texts.entries()) expect(named[at]).toBe(portableSha256.digest(text));
});

test("halves of surrogate pairs are told apart, and from the signs that encoders write for them", () => {
  const texts = ["\ud800", "\ud801", "\udc00", "\ufffd", '"\\ud800"', "a\ud800", "\ud83d\ude00"];
  expect(new Set(texts.map(contentHash)).size).toBe(texts.length);
  expect(new Set(texts.map((text) => keyedHash("key", text))).size).toBe(texts.length);
});

test("a keyed hash needs its key", () => {
  expect(keyedHash("one", "text")).not.toBe(keyedHash("two", "text"));
  expect(keyedHash("one", "text")).not.toBe(contentHash("text"));
});

test("a share is spread over 0 to 1", () => {
  const shares = Array.from({ length: 200 }, (_, n) => shareOf(contentHash(`${n}`)));
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
  expect(Math.min(...shares)).toBeLessThan(0.1);
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  expect(Math.max(...shares)).toBeGreaterThan(0.9);
});
