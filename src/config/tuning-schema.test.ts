import { expect, test } from "vitest";
import { parseConfig } from "./parse-config.ts";
import { mergeTuning, pickTuning, requestTuning } from "./tuning-schema.ts";

test("the options that hosts have can stand in a config, and what differs by provider for one upstream", () => {
  const options = {
    startAt: 0.7,
    landAt: 20_000,
    reserve: 0,
    safety: 0.03,
    placement: "system",
    waitMs: 500,
    auto: false,
    cacheBreakpoints: true,
    tail: { messages: 10, turns: 3 },
    triggers: { messages: 40 },
    summary: { temperature: 0.2, preface: "Left out:", mode: "full", prompt: "agent", cap: 2_000 },
    recall: { auto: true, tokens: 800 },
    images: { keep: 2 },
    cache: { ttlMs: 3_600_000, read: 0.1, write: 2, output: 5 },
    frames: { tokensPerFrame: 196, separator: 2 },
  } as const;
  const config = parseConfig({
    ...options,
    upstreams: [{ name: "a", baseURL: "http://127.0.0.1:1/v1", reserve: 500, cache: { read: 0.5 } }],
  });
  expect(pickTuning(config)).toEqual(options);
  expect(pickTuning(config.upstreams[0]!)).toEqual({ reserve: 500, cache: { read: 0.5 } });
});

test("what is set nearer to the request comes first, and groups are put together", () => {
  expect(
    mergeTuning({ tail: { share: 0.3 }, auto: true }, undefined, { tail: { messages: 4 }, auto: false }),
  ).toEqual({ tail: { share: 0.3, messages: 4 }, auto: false });
});

test("a start or a landing gives way to the one that is set nearer to the request", () => {
  expect(mergeTuning({ startAt: 0.8, landAt: 0.5 }, { startAt: 0.4 })).toEqual({ startAt: 0.4 });
  expect(mergeTuning({ startAt: 0.3, auto: true }, { landAt: 0.4 })).toEqual({ landAt: 0.4, auto: true });
  expect(mergeTuning({ startAt: 0.8, landAt: 0.2 }, { startAt: 0.4 })).toEqual({ startAt: 0.4, landAt: 0.2 });
  expect(mergeTuning({ landAt: 0.4 }, { auto: false })).toEqual({ landAt: 0.4, auto: false });
});

test("a value that can't be is refused by its name", () => {
  for (const given of [
    { startAt: 80 },
    { landAt: 0 },
    { reserve: -1 },
    { placement: "top" },
    { waitMs: "soon" },
    { recall: true },
    { recall: { auto: "yes" } },
    { images: { keep: "all" } },
    { images: {} },
    { cache: { ttlMs: "soon" } },
    { cache: { read: -1 } },
    { frames: { separator: 2 } },
    { tail: { messages: 0 } },
    { summary: { temperature: 3 } },
    { summary: { mode: "magic" } },
    { summary: { preface: "x".repeat(501) } },
    { strategy: "none" },
    { auto: "yes" },
  ])
    expect(requestTuning.safeParse(given).success, JSON.stringify(given)).toBe(false);
});
