import { expect, test } from "vitest";
import { retryAfterOf } from "./failure.ts";

const NOW = Date.parse("2026-11-15T03:00:00Z");
const wait = (headers: Record<string, string>, body?: unknown) =>
  retryAfterOf(new Headers(headers), body, NOW);

test.each([
  ["milliseconds win", { "retry-after-ms": "250", "retry-after": "9" }, 250],
  ["seconds", { "retry-after": "20" }, 20_000],
  ["parts of a second", { "retry-after": "0.5" }, 500],
  ["an HTTP date", { "retry-after": "Sun, 15 Nov 2026 03:00:30 GMT" }, 30_000],
  ["a date in the past", { "retry-after": "Sun, 15 Nov 2026 02:00:00 GMT" }, 0],
  [
    "OpenAI's reset of the limit that is used up",
    {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1m26.4s",
      "x-ratelimit-remaining-tokens": "149984",
      "x-ratelimit-reset-tokens": "6m0s",
    },
    86_400,
  ],
  [
    "milliseconds as a duration",
    { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms" },
    120,
  ],
  [
    "Anthropic's points in time",
    {
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-15T03:00:12Z",
    },
    12_000,
  ],
  [
    "OpenRouter's milliseconds since 1970",
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW + 7_000) },
    7_000,
  ],
  ["seconds since 1970", { "ratelimit-remaining": "0", "ratelimit-reset": String(NOW / 1_000 + 3) }, 3_000],
  [
    "a limit that isn't used up",
    { "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "9s" },
    undefined,
  ],
  ["nonsense", { "retry-after": "soon" }, undefined],
  ["nothing", {}, undefined],
])("reads %s", (_, headers, ms) => {
  expect(wait(headers as Record<string, string>)).toBe(ms);
});

test("reads what the body says", () => {
  expect(wait({}, { error: { message: "Rate limit reached. Please try again in 4.5s. Visit …" } })).toBe(
    4_500,
  );
  expect(
    wait({}, [
      { error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }] } },
    ]),
  ).toBe(34_000);
});
