import fc from "fast-check";
import { expect, it } from "vitest";
import { largestFit } from "./write-message.ts";

const BASE = 10;
const sum = (sizes: readonly number[], items: number) =>
  BASE + sizes.slice(0, items).reduce((all, item) => all + item, 0);

it("finds the largest number that fits, whatever the estimate says", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 }),
      fc.integer({ min: 0, max: 2_000 }),
      fc.double({ min: 0.1, max: 60, noNaN: true }),
      (sizes, cap, each) => {
        const tokens = (items: number) => sum(sizes, items);
        const found = largestFit({ most: sizes.length, cap, expected: (items) => items * each, tokens });
        if (BASE > cap) expect(found).toBeUndefined();
        else {
          expect(tokens(found!)).toBeLessThanOrEqual(cap);
          expect(found! === sizes.length || tokens(found! + 1) > cap).toBe(true);
        }
      },
    ),
  );
});

it("counts once where the estimate is right, and seldom more than thrice where it is off by a tenth", () => {
  const sizes = Array.from({ length: 500 }, (_, at) => 10 + ((at * 7) % 23));
  const countsFor = (error: number): number => {
    let counts = 0;
    largestFit({
      most: sizes.length,
      cap: 5_000,
      expected: (items) => BASE + (sum(sizes, items) - BASE) * error,
      tokens: (items) => {
        counts++;
        return sum(sizes, items);
      },
      slack: 25,
    });
    return counts;
  };
  expect(countsFor(1)).toBe(1);
  expect(countsFor(1.1)).toBeLessThanOrEqual(3);
  expect(countsFor(0.9)).toBeLessThanOrEqual(3);
});
