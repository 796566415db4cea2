import fc from "fast-check";
import { expect, test } from "vitest";
import { createRecentMap } from "../core/collections.ts";

test("holds at most its characters and never a wrong value", () => {
  const operation = fc.tuple(fc.boolean(), fc.string({ maxLength: 12 }));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(operation, { maxLength: 200 }),
      (limit, operations) => {
        const map = createRecentMap<number>(limit);
        const truth = new Map<string, number>();
        operations.forEach(([write, key], i) => {
          if (write) {
            map.set(key, i);
            truth.set(key, i);
          }
          expect([undefined, truth.get(key)]).toContain(map.get(key));
          expect(map.chars).toBeLessThanOrEqual(limit);
        });
      },
    ),
  );
});

test("keeps what is asked for again and again", () => {
  const map = createRecentMap<number>(100);
  map.set("precious", 1);
  for (let i = 0; i < 1_000; i++) {
    map.set(`passing ${i}`, i);
    expect(map.get("precious")).toBe(1);
  }
  expect(map.get("passing 0")).toBeUndefined();
});

test("a key that is too large for it is left out and pushes nothing out", () => {
  const map = createRecentMap<number>(100);
  map.set("small", 1);
  map.set("x".repeat(51), 2);
  expect(map.get("x".repeat(51))).toBeUndefined();
  expect(map.get("small")).toBe(1);
});
