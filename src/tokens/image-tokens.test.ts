import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ImagePart } from "../core/types.ts";
import { type ImageFormula, imageTokens } from "./image-tokens.ts";

const image = (width?: number, height?: number, detail?: ImagePart["detail"]): ImagePart => ({
  type: "image",
  source: "x",
  ...(width === undefined ? {} : { width }),
  ...(height === undefined ? {} : { height }),
  ...(detail === undefined ? {} : { detail }),
});

// Worked examples from the providers' documentation.
describe.each<[ImageFormula, readonly (readonly [ImagePart, number])[]]>([
  [
    "openai",
    [
      [image(1_024, 1_024), 765],
      [image(2_048, 4_096), 1_105],
      [image(4_096, 8_192, "low"), 85],
      [image(512, 512), 255],
    ],
  ],
  [
    "openai-patch",
    [
      [image(1_024, 1_024), Math.ceil(1_024 * 1.62)],
      [image(1_800, 2_400), Math.ceil(1_536 * 1.62)],
      [image(3_200, 3_200, "original"), 10_000],
      [image(4_096, 4_096, "low"), Math.ceil(256 * 1.62)],
    ],
  ],
  [
    "anthropic",
    [
      [image(200, 200), 54],
      [image(1_000, 1_000), 1_334],
      [image(1_092, 1_092), 1_590],
      [image(8_000, 6_000), 1_600],
    ],
  ],
  [
    "anthropic-large",
    [
      [image(1_000, 1_000), 1_334],
      [image(8_000, 6_000), 4_784],
    ],
  ],
  [
    "gemini",
    [
      [image(384, 384), 258],
      [image(960, 540), 6 * 258],
    ],
  ],
])("%s", (formula, examples) => {
  test.each(examples)("%j costs %i", (part, tokens) => {
    expect(imageTokens(part, formula)).toBe(tokens);
  });

  test("an unknown or nonsensical size costs as much as a screenshot", () => {
    const screenshot = imageTokens(image(1_920, 1_080), formula);
    for (const part of [image(), image(0, 0), image(Number.NaN, 5), image(100), image(-5, 5)])
      expect(imageTokens(part, formula)).toBe(screenshot);
  });

  test("any size costs a bounded whole number of tokens", () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(side, side, fc.constantFrom("low", "high", "auto", "original"), (w, h, detail) => {
        const tokens = imageTokens(image(w, h, detail as "low"), formula);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThan(0);
        // Gemini has no cap in its formula: 258 for each tile of at least 256 px.
        expect(tokens).toBeLessThan(formula === "gemini" ? 25_000_000 : 20_000);
      }),
    );
  });
});
