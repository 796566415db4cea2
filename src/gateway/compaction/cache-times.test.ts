import { expect, test } from "vitest";
import { createCacheTimes } from "./learned.ts";

const MINUTE = 60_000;

/** Times between requests from seconds to hours, as they come in practice. */
const idle = (n: number): number => 5_000 * 1.6 ** (n % 15) + 977 * n;

function learned(ttlMs: number, readings: number, accidents = 0): number | undefined {
  const times = createCacheTimes();
  for (let n = 0; n < readings; n++)
    times.learn("a", "m", { idleMs: idle(n), isHit: n % 20 < accidents ? false : idle(n) <= ttlMs });
  return times.of("a", "m");
}

test("a cache of five minutes, of an hour and of neither is known within 20 %, after some readings", () => {
  for (const ttlMs of [5 * MINUTE, 60 * MINUTE, 17 * MINUTE])
    for (const accidents of [0, 1]) {
      const found = learned(ttlMs, 120, accidents);
      expect(Math.abs(found! / ttlMs - 1), `${ttlMs} ${accidents}`).toBeLessThan(0.2);
    }
  expect(learned(0, 40)).toBe(0);
});

test("nothing is believed that only a few readings say, nor told of another model", () => {
  expect(learned(5 * MINUTE, 3)).toBeUndefined();
  expect(learned(0, 3)).toBeUndefined();
  const times = createCacheTimes();
  for (let n = 0; n < 50; n++) times.learn("a", "m", { idleMs: 1_000, isHit: true });
  // That it lasts a second says nothing of five minutes.
  expect(times.of("a", "m")).toBeUndefined();
  for (let n = 0; n < 50; n++) times.learn("a", "m", { idleMs: 40 * MINUTE, isHit: true });
  expect(times.of("a", "m")).toBe(60 * MINUTE);
  expect(times.of("a", "other")).toBeUndefined();
});
