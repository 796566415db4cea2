import { expect, test } from "vitest";
import { type CacheTimes, createCacheTimes } from "./learned.ts";

const MINUTE = 60_000;

/** Times between requests from seconds to hours, as they come in practice. */
const idle = (n: number): number => 5_000 * 1.6 ** (n % 15) + 977 * n;

const learn = (times: CacheTimes, idleMs: number, isHit: boolean, isReader = true) =>
  times.learn("a", "m", { isHit, isReader }, idleMs);

function learned(ttlMs: number, readings: number, accidents = 0): number | undefined {
  const times = createCacheTimes();
  for (let n = 0; n < readings; n++)
    learn(times, idle(n), n % 20 < accidents ? false : idle(n) <= ttlMs, ttlMs > 0);
  return times.of("a", "m");
}

test("a cache of five minutes, of an hour and of neither is known within 20 %, after some readings", () => {
  for (const ttlMs of [5 * MINUTE, 60 * MINUTE])
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
  for (let n = 0; n < 50; n++) learn(times, 1_000, true);
  // That it lasts a second says nothing of five minutes.
  expect(times.of("a", "m")).toBeUndefined();
  for (let n = 0; n < 50; n++) learn(times, 40 * MINUTE, true);
  expect(times.of("a", "m")).toBe(60 * MINUTE);
  expect(times.of("a", "other")).toBeUndefined();
});

test("a few accidental misses don't make a cache cold, and another plan of the provider is noticed", () => {
  const times = createCacheTimes();
  for (let n = 0; n < 128; n++) learn(times, n % 8 === 0 ? 2 * MINUTE : 10_000, n % 32 !== 0);
  expect(times.of("a", "m")).toBeUndefined();
  for (let n = 0; n < 500; n++) learn(times, 7 * MINUTE, false);
  expect(times.of("a", "m")).toBe(5 * MINUTE);
  for (let n = 0; n < 40; n++) learn(times, 7 * MINUTE, true);
  expect(times.of("a", "m")).toBe(60 * MINUTE);
});

test("conversations that never read a cache say nothing once another one has", () => {
  const times = createCacheTimes();
  for (let n = 0; n < 50; n++) learn(times, 10_000, false, false);
  expect(times.of("a", "m")).toBe(0);
  for (let n = 0; n < 50; n++) {
    learn(times, 10 * MINUTE, true);
    learn(times, 10_000, false, false);
  }
  expect(times.of("a", "m")).toBe(60 * MINUTE);
});
