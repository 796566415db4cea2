import { expect, it } from "vitest";
import { isStreamFile, managementAt, sawColumns } from "./stream-file.ts";

const TIMELINE = {
  status: { time: 20, window: 100, limit: 90 },
  points: [
    { time: 5, tokens: 50 },
    { time: 10, tokens: 12 },
    { time: 20, tokens: 60 },
  ],
  said: [],
  managed: [{ time: 10, tokens: { before: 90, after: 12 } }],
};

it("tells streams from conversations", () => {
  expect(isStreamFile('{"role":"system","content":"x"}\n{"role":"frames","start":0,"end":4}')).toBe(true);
  expect(isStreamFile('[{"role":"user","content":"the word frames"}]')).toBe(false);
});

it("rises to what the cache had grown to before it falls", () => {
  const { seconds, tokens } = sawColumns(TIMELINE as never);
  expect(seconds).toEqual([5, 10, 10, 20]);
  expect(tokens).toEqual([50, 90, 12, 60]);
});

it("finds the management before a moment", () => {
  const managed = [{ time: 10 }, { time: 20 }];
  expect([0, 10, 15, 99].map((at) => managementAt(managed, at))).toEqual([0, 0, 0, 1]);
});
