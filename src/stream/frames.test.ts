import { expect, test } from "vitest";
import { frameTokens, joinFrames, sliceFrames, splitFrames } from "./ledger.ts";
import type { FramesItem, TurnItem } from "./types.ts";

const frames = (count: number): FramesItem => ({
  type: "frames",
  count,
  tokensPerFrame: 10,
  separator: 1,
  joined: false,
  at: 0.5,
  until: count / 2,
});
const turn: TurnItem = { type: "turn", role: "user", text: "hi", at: 0 };

test("frames × tokens per frame plus separators; one more where frames go on", () => {
  expect(frameTokens(frames(4))).toBe(43);
  expect(frameTokens({ ...frames(4), joined: true })).toBe(44);
  expect(frameTokens({ ...frames(4), separator: 0 })).toBe(40);
});

test("both parts of a split take what the whole took", () => {
  for (let count = 1; count < 6; count++) {
    const [first, rest] = splitFrames(frames(6), count);
    expect(frameTokens(first) + frameTokens(rest)).toBe(frameTokens(frames(6)));
    expect([first.count, rest.count]).toEqual([count, 6 - count]);
    expect(rest.at - first.until).toBeCloseTo(0.5);
  }
});

test("a slice has its own time and its own images", () => {
  const images = ["a", "b", "c"].map((source) => ({ source }));
  expect(sliceFrames({ ...frames(3), images }, 1, 2)).toMatchObject({
    count: 1,
    at: 1,
    until: 1,
    images: [{ source: "b" }],
  });
});

test("joined is what is true in this order", () => {
  const joined = joinFrames([frames(1), frames(1), turn, { ...frames(1), joined: true }], frames(2));
  expect(joined.map((item) => item.type === "frames" && item.joined)).toEqual([true, true, false, false]);
});
