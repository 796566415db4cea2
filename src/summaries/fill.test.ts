import fc from "fast-check";
import { expect, it } from "vitest";
import { largestFit } from "./fill.ts";

it("finds the largest size that fits, wherever it starts", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.integer({ min: -5, max: 80 }),
      (sizes, cap, guess) => {
        const base = 10;
        const tokens = (size: number) => base + sizes.slice(0, size).reduce((sum, item) => sum + item, 0);
        const found = largestFit(sizes.length, cap, guess, tokens);
        if (base > cap) expect(found).toBeUndefined();
        else {
          expect(tokens(found!)).toBeLessThanOrEqual(cap);
          // Few counts are allowed, so it may stop short of the optimum, but not by much.
          expect(found! === sizes.length || tokens(Math.min(sizes.length, found! + 3)) > cap).toBe(true);
        }
      },
    ),
  );
});
