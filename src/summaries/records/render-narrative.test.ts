import { expect, it } from "vitest";
import { renderNarrative } from "./render-narrative.ts";

const count = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const words = (number: number): string => Array.from({ length: number }, (_, at) => `word${at}`).join(" ");
const told = (text: string, from: number, isOwn = false) => ({
  text,
  covers: { from, to: from + 10 },
  isOwn,
});

it("a person's own words stay whole above the cap, which holds for what a model wrote", () => {
  const shown = renderNarrative([told(words(40), 0, true), told(words(40), 10)], {
    room: 200,
    cap: 60,
    count,
  });
  expect(shown[0]!.text).toBe(words(40));
  expect(count(shown[1]!.text)).toBeLessThan(20);
  expect(shown.map(({ covers }) => covers.from)).toEqual([0, 10]);
});

it("where there isn't room for a line of each, the oldest leave, and the newest is shown as far as it fits", () => {
  const records = Array.from({ length: 5 }, (_, at) => told(words(30), at * 10));
  const shown = renderNarrative(records, { room: 25, count });
  expect(shown).toHaveLength(1);
  expect(shown[0]!.head).toBe("#41–50:");
  expect(shown[0]!.text).toMatch(/^word0 .*…$/);
  expect(count(`${shown[0]!.head} ${shown[0]!.text}`)).toBeLessThanOrEqual(25);
});

it("without any room nothing is shown", () => {
  expect(renderNarrative([told(words(30), 0)], { room: 0, count })).toEqual([]);
});
