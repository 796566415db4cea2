import { expect, it } from "vitest";
import { isStreamFile, managementAt, readTimeline, sawColumns } from "./stream-file.ts";

const TIMELINE = {
  format: "precis-stream/1",
  file: "ride.jsonl",
  strategy: "drop-all",
  tokensPerFrame: 10,
  fps: 2,
  turns: 3,
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
  expect(isStreamFile(JSON.stringify(TIMELINE))).toBe(true);
  expect(isStreamFile('[{"role":"user","content":"the word frames"}]')).toBe(false);
});

it("reads the output of precis stream --json, and refuses another version of it", () => {
  expect(readTimeline("x.json", JSON.stringify(TIMELINE))).toMatchObject({
    title: "ride.jsonl",
    timeline: { managed: TIMELINE.managed },
  });
  expect(readTimeline("x.jsonl", '{"role":"frames","start":0,"end":4}')).toBeUndefined();
  expect(() => readTimeline("x", JSON.stringify({ ...TIMELINE, format: "precis-stream/9" }))).toThrow(
    "precis-stream/9",
  );
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
