import { expect, test } from "vitest";
import { failureInside, failureOf } from "./failure.ts";

const KEY = "sk-proj-abcdefghijklmnop1234567890";
const fail = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  failureOf({
    model: "m",
    status,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: new Headers(headers),
    secrets: [KEY],
    now: 0,
  });

test.each([
  [400, { error: { message: "bad" } }, "bad-request", false],
  [401, { error: { message: "Incorrect API key provided" } }, "auth", false],
  [402, { error: { message: "Insufficient credits" } }, "rate-limited", false],
  [403, { error: { message: "no" } }, "auth", false],
  [404, { error: { message: "The model `x` does not exist" } }, "bad-request", false],
  [408, "", "timeout", true],
  [409, "", "bad-request", true],
  [422, { detail: [{ msg: "Field required" }] }, "bad-request", false],
  [425, "", "bad-request", true],
  [429, { error: { message: "slow down" } }, "rate-limited", true],
  [
    429,
    { error: { code: "insufficient_quota", message: "You exceeded your current quota" } },
    "rate-limited",
    false,
  ],
  [
    400,
    { error: { message: "Your credit balance is too low to access the Anthropic API." } },
    "rate-limited",
    false,
  ],
  [
    400,
    [{ error: { code: 400, message: "API key not valid. Please pass a valid API key." } }],
    "auth",
    false,
  ],
  [500, "<html>oops</html>", "overloaded", true],
  [501, "", "overloaded", false],
  [503, "", "overloaded", true],
  [504, "", "timeout", true],
  [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded", true],
  [400, { error: { code: "content_filter", message: "The response was filtered" } }, "refused", false],
  [400, "prompt is too long: 213462 tokens > 200000 maximum", "too-long", false],
  [
    500,
    { error: { message: "the request exceeds the available context size, try increasing it" } },
    "too-long",
    false,
  ],
])("%i %j is %s", (status, body, failure, retryable) => {
  expect(fail(status, body)).toMatchObject({ failure, retryable, status });
});

test("every error tells the fix", () => {
  for (const status of [400, 401, 404, 408, 429, 500]) expect(fail(status, "no").fix).not.toBe("");
  expect(fail(400, "prompt is too long: 213462 tokens > 200000 maximum").message).toContain(
    "(213462 tokens, 200000 fit)",
  );
});

test("carries how long to wait, and heeds a provider that says not to", () => {
  expect(fail(429, "", { "retry-after": "3" }).retryAfterMs).toBe(3_000);
  expect(fail(503, "", { "x-should-retry": "false" }).retryable).toBe(false);
});

test("reads a provider's answer out of a router's", () => {
  const error = fail(502, {
    error: {
      message: "Provider returned error",
      code: 429,
      metadata: { raw: '{"error":{"message":"rate limited upstream"}}' },
    },
  });
  expect(error).toMatchObject({ failure: "rate-limited", status: 429 });
  expect(error.message).toContain("rate limited upstream");
});

test("finds an error inside an answer 200, and none where there is none", () => {
  const context = { model: "m", secrets: [], now: 0 };
  expect(
    failureInside({ error: { message: "Overloaded", type: "overloaded_error" } }, context),
  ).toMatchObject({
    failure: "overloaded",
    status: 529,
  });
  expect(failureInside({ error: { code: 400, message: "no" } }, context)).toMatchObject({
    failure: "bad-request",
  });
  for (const json of [{ choices: [] }, { error: null }, { error: {} }, undefined, []])
    expect(failureInside(json, context)).toBeUndefined();
});

test("hides a secret that looks like a word, and leaves words alone that stand in for no key", () => {
  const shown = (secret: string, message: string) =>
    failureOf({ model: "m", status: 401, body: message, headers: new Headers(), secrets: [secret], now: 0 })
      .message;
  expect(shown("correcthorse", "unknown key correcthorse given")).toContain("unknown key [hidden] given");
  expect(shown("x", "extra text")).toContain("extra text");
});

test("never shows a secret, whole, in part or of another kind", () => {
  const leaks = [
    `Incorrect API key provided: ${KEY}.`,
    "Incorrect API key provided: sk-proj-abc***********7890.",
    `Authorization: Bearer ${KEY}`,
    "invalid key AIzaSyA1234567890abcdefghij",
    "GET https://user:hunter22@host/v1?api_key=topsecretvalue failed",
  ];
  for (const message of leaks) {
    const text = `${fail(401, { error: { message } }).message} ${String(fail(401, message).stack)}`;
    for (const secret of [KEY, "sk-proj", "hunter22", "topsecretvalue", "AIzaSy"])
      expect(text).not.toContain(secret);
  }
});
