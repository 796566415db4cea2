import { expect, test } from "vitest";
import { parseConfig } from "./parse-config.ts";
import { mergeTuning, pickTuning, requestTuning } from "./tuning-schema.ts";

test("the options that hosts have can stand in a config, for all and for one upstream", () => {
  const options = {
    auto: false,
    cacheBreakpoints: true,
    tail: { messages: 10, turns: 3 },
    triggers: { messages: 40 },
    summary: { temperature: 0.2, preface: "Left out:", mode: "full", prompt: "agent", cap: 2_000 },
  } as const;
  const config = parseConfig({
    ...options,
    upstreams: [{ name: "a", baseURL: "http://127.0.0.1:1/v1", tail: { turns: 2 } }],
  });
  expect(pickTuning(config)).toEqual(options);
  expect(pickTuning(config.upstreams[0]!)).toEqual({ tail: { turns: 2 } });
});

test("what is set nearer to the request comes first, and groups are put together", () => {
  expect(
    mergeTuning({ tail: { share: 0.3 }, auto: true }, undefined, { tail: { messages: 4 }, auto: false }),
  ).toEqual({ tail: { share: 0.3, messages: 4 }, auto: false });
});

test("a value that can't be is refused by its name", () => {
  for (const given of [
    { tail: { messages: 0 } },
    { summary: { temperature: 3 } },
    { summary: { mode: "magic" } },
    { summary: { preface: "x".repeat(501) } },
    { strategy: "none" },
    { auto: "yes" },
  ])
    expect(requestTuning.safeParse(given).success, JSON.stringify(given)).toBe(false);
});
