import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../testing/arbitraries/texts.ts";
import { mostTokens } from "./create-measure.ts";
import { exactCounter } from "./exact-counter.ts";

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  // Lone surrogates too.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
);

test("it is the number of bytes on the wire", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(mostTokens.count(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

test.each(["o200k_base", "cl100k_base"] as const)("no text has more tokens of %s", async (encoding) => {
  const exact = await exactCounter(encoding);
  fc.assert(
    fc.property(texts, (text) => {
      expect(exact.count(text)).toBeLessThanOrEqual(mostTokens.count(text));
    }),
  );
});
