import { expect, it } from "vitest";
import { contentHash, hashFor, portableSha256 } from "./hash.ts";

const texts = ["some words ", "é漢😀", "\ud83da"].map((unit) => unit.repeat(200_000));

it.each(texts)("a text that is hashed in pieces has the same name", async (text) => {
  const before = contentHash(`${text}`);
  expect(await hashFor({}, text, async () => {})).toBe(before);
  expect(contentHash(text)).toBe(before);
});

it("the implementation for browsers hashes pieces like the whole", () => {
  const growing = portableSha256.begin();
  for (const piece of ["some", " words", "😀"]) growing.add(piece);
  expect(growing.digest()).toBe(portableSha256.digest("some words😀"));
});
