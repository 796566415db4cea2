import fc from "fast-check";
import { expect, test } from "vitest";
import { nativeSha256, portableSha256, sha256 } from "./hash.ts";

test("browsers and Node name the same text alike", () => {
  const native = nativeSha256()!;
  expect(sha256.digest("abc")).toBe(native.digest("abc"));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.string(), (text, key) => {
      expect(portableSha256.digest(text)).toBe(native.digest(text));
      expect(portableSha256.keyed(key, text)).toBe(native.keyed(key, text));
    }),
  );
  const long = "Grüße, 世界! ".repeat(5_000);
  expect(portableSha256.digest(long)).toBe(native.digest(long));
});

test("the hash is SHA-256, and HMAC with it", () => {
  const hex = (text: string) => Buffer.from(text, "base64url").toString("hex");
  expect(hex(portableSha256.digest("abc"))).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  expect(hex(portableSha256.keyed("Jefe", "what do ya want for nothing?"))).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});
