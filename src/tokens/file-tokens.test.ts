import fc from "fast-check";
import { expect, test } from "vitest";
import type { FilePart } from "../core/types.ts";
import { fileTokens } from "./create-measure.ts";

const file = (mediaType?: string, bytes?: number): FilePart => ({
  type: "file",
  source: "x".repeat(1_000_000),
  ...(mediaType === undefined ? {} : { mediaType }),
  ...(bytes === undefined ? {} : { bytes }),
});

test.each([
  ["a PDF of one page", file("application/pdf", 30_000), 2_000],
  ["a PDF of ten pages", file("application/pdf", 500_000), 20_000],
  ["text", file("text/plain", 4_000), 1_000],
  ["JSON", file("application/json", 4_000), 1_000],
  ["a vendor's JSON", file("application/vnd.api+json", 4_000), 1_000],
  ["ten seconds of sound", file("audio/mpeg", 160_000), 320],
  ["a file of unknown size", file("application/pdf"), 2_000],
  ["a file of a size that can't be", file("application/pdf", Number.NaN), 2_000],
  ["a file of which nothing is known", file(), 2_000],
])("%s", (_name, part, tokens) => {
  expect(fileTokens(part)).toBe(tokens);
});

test("more bytes never cost less", () => {
  const type = fc.constantFrom("application/pdf", "text/csv", "audio/wav", "video/mp4", "application/zip");
  const size = fc.integer({ min: 0, max: 50_000_000 });
  fc.assert(
    fc.property(type, size, size, (mediaType, a, b) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)];
      expect(fileTokens(file(mediaType, less))).toBeLessThanOrEqual(fileTokens(file(mediaType, more)));
    }),
  );
});
