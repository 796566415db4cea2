import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Route, routes, urlOf } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

/** Words of the library that checks: they are not for people. */
const LIBRARY_WORDS = /invalid|expected|received|too small|too big|unrecognized|undefined|regex|NaN/i;

let serve: ServeHere;
let id: string;
const { call } = apiOf(() => serve.url);

beforeAll(async () => {
  serve = await serveHere([]);
  id = (await call(routes.createConversation, { body: {} })).id;
});
afterAll(() => serve.stop());

async function refusal(route: Route, body: unknown) {
  const response = await fetch(serve.url + urlOf(route, { id, index: 0, key: "k" }), {
    method: route.method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, error: ((await response.json()) as { error: object }).error };
}

describe("a body that can't be is refused with field, value and fix", () => {
  const file = { name: "a.json", text: "[]" };
  it.each<[Route, unknown, field: string | undefined, given: string, fix: string]>([
    [routes.changeSettings, { budgt: 5_000 }, "budgt", "unknown key", "Did you mean budget?"],
    [routes.changeSettings, { budget: "lots" }, "budget", '"lots"', "Give a whole number of at least 100"],
    [routes.changeSettings, { window: 5 }, "window", "5", "Give a whole number of at least 100"],
    [routes.changeSettings, { startAt: 80 }, "startAt", "80", "Did you mean 0.8?"],
    [
      routes.changeSettings,
      { startAt: 99_999_999_999 },
      "startAt",
      "99999999999 is larger than any window",
      "a share above 0",
    ],
    [
      routes.changeSettings,
      { landAt: 99_999_999_999 },
      "landAt",
      "99999999999 is larger than any window",
      "a share above 0",
    ],
    [
      routes.changeSettings,
      { startAt: 9_000, window: 8_000 },
      "startAt",
      "9000 exceeds the window of 8000 tokens",
      "Give a share",
    ],
    [
      routes.createConversation,
      { settings: { startAt: 9_000, window: 8_000 } },
      "startAt",
      "9000 exceeds the window of 8000 tokens",
      "Give a share",
    ],
    [
      routes.changeConversation,
      { settings: { startAt: 9_000, window: 8_000 } },
      "startAt",
      "9000 exceeds the window of 8000 tokens",
      "Give a share",
    ],
    [
      routes.whatIf,
      { startAt: 99_999_999_999 },
      "startAt",
      "99999999999 is larger than any window",
      "a share above 0",
    ],
    [routes.changeSettings, { tail: 3 }, "tail", "3", "above 0 and up to 1"],
    [routes.changeSettings, { temperature: -1 }, "temperature", "-1", "from 0 to 2"],
    [routes.changeSettings, { maxTokens: 0 }, "maxTokens", "0", "Give a whole number of at least 1"],
    [routes.changeSettings, { strategy: "drop-al" }, "strategy", '"drop-al"', "Did you mean drop-all?"],
    [routes.changeSettings, { theme: 7 }, "theme", "7", "It is one of system, light, dark."],
    [routes.changeSettings, { auto: "yes" }, "auto", '"yes"', "Give true or false."],
    [routes.changeSettings, [], undefined, "[] isn't an object", "its keys are strategy, profile"],
    [routes.changeSettings, "x", undefined, '"x" isn\'t an object', "its keys are strategy, profile"],
    [routes.createConversation, { settings: { model: "" } }, "settings.model", '""', "gpt-5-mini"],
    [routes.createConversation, { title: "t".repeat(501) }, "title", '"ttt', "at most 500 characters"],
    [routes.createConversation, { system: 5 }, "system", "5", "Give a text"],
    [
      routes.changeConversation,
      { pins: 3 },
      "pins",
      "3 isn't a list",
      'Give a list such as ["the hash of a message"]',
    ],
    [routes.changeConversation, { pins: [-1] }, "pins.0", "-1", "Give a text of at most 100 characters"],
    [routes.importFile, { name: "a" }, "text", "missing", "Give a text"],
    [routes.fork, {}, "length", "missing", "Give a whole number from 0"],
    [routes.appendMessage, { role: "tool", text: "x" }, "role", '"tool"', "user, assistant, system"],
    [routes.chat, { text: "x", images: ["http://x"] }, "images.0", '"http://x"', "data:image/png;base64"],
    [routes.chat, { text: "x", images: Array(21).fill("") }, "images", "too many", "at most 20"],
    [routes.editMessage, { text: null }, "text", "null", "Give a text"],
    [routes.regenerate, { index: "1" }, "index", '"1"', "Give a whole number from 0"],
    [routes.whatIf, { force: 1 }, "force", "1", "Give true or false."],
    [routes.compact, { focus: {} }, "focus", "an object", "Give a text"],
    [routes.compact, { range: { from: 3 } }, "range.to", "missing", "Give a whole number from 1"],
    [routes.editSummary, { text: "" }, "text", '""', "Give a text"],
    [routes.replay, { file }, "policies", "missing", "Give a list such as"],
    [routes.replay, { file, policies: [] }, "policies", "an empty list", "Give a list such as"],
    [routes.replay, { file, policies: [{ name: "a", window: 1 }] }, "policies.0.window", "1", "at least 100"],
    [
      routes.replay,
      { file: { name: "a" }, policies: [{ name: "a" }] },
      "file.text",
      "missing",
      "Give a text",
    ],
    [routes.replayStream, { file, strategy: "x" }, "strategy", '"x"', "It is one of"],
  ])("%j %j", async (route, body, field, given, fix) => {
    const { status, error } = await refusal(route, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: "invalid", ...(field !== undefined && { field }) });
    const { message } = error as { message: string };
    expect(message).toMatch(
      new RegExp(`^${field === undefined ? "the body" : field.replaceAll(".", "\\.")}: `),
    );
    expect(message).toContain(given);
    expect(error).toHaveProperty("fix", expect.stringContaining(fix));
    expect(message).toContain((error as { fix: string }).fix);
    expect(message).not.toMatch(LIBRARY_WORDS);
  });

  it("and so is a query", async () => {
    const response = await fetch(`${serve.url}${urlOf(routes.timeline, { id })}?limit=few`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error).toMatchObject({ code: "invalid", field: "limit", fix: "Give a whole number from 0." });
    expect(error.message).toContain('"few"');
  });
});

it("a name of megabytes is refused without being repeated", async () => {
  const name = "k".repeat(3_000_000);
  for (const body of [{ [name]: 1 }, { name: "a.json", text: JSON.stringify({ [name]: 1 }) }]) {
    const { status, error } = await refusal(routes.importFile, body);
    expect([status, JSON.stringify(error).length < 1_000]).toEqual([400, true]);
  }
});

it("a start and a landing that can't work together are refused, also one after the other", async () => {
  expect(await refusal(routes.changeSettings, { landAt: 0.7 })).toMatchObject({
    status: 400,
    error: { field: "landAt", fix: "Use at most 0.5." },
  });
  await call(routes.changeSettings, { body: { landAt: 0.4 } });
  const { status, error } = await refusal(routes.changeSettings, { startAt: 0.3 });
  expect([status, JSON.stringify(error)]).toEqual([400, expect.stringContaining("Raise startAt")]);
  const settings = { startAt: 0.3, landAt: 0.35 };
  expect((await refusal(routes.createConversation, { settings })).status).toBe(400);
  // A chat's own start comes before the landing of all chats.
  const { id: own } = await call(routes.createConversation, { body: { settings: { startAt: 0.3 } } });
  expect((await call(routes.pressure, { params: { id: own } })).startsAt).toBeCloseTo(0.3);
  await call(routes.changeSettings, { body: { landAt: null } });
});

it("what was taken before is taken still", async () => {
  const { settings } = await call(routes.changeSettings, {
    body: { budget: 5_000, startAt: 0.7, landAt: 4_000, reserve: 500, tail: 0.3, temperature: 0.5 },
  });
  expect(settings).toMatchObject({ budget: 5_000, startAt: 0.7, landAt: 4_000, reserve: 500, tail: 0.3 });
  const back = await call(routes.changeSettings, {
    body: { budget: null, startAt: null, landAt: null, reserve: null, tail: null, temperature: null },
  });
  expect(back.settings).toEqual({});
  const text = JSON.stringify([{ role: "user", content: "Hello." }]);
  expect((await call(routes.importFile, { body: { name: "", text } })).conversations).toHaveLength(1);
});

it("a recording of more frames than anybody waits for is refused before it is played", async () => {
  const text = JSON.stringify({ role: "frames", start: 0, end: 1_000_000_000 });
  const { status, error } = await refusal(routes.replayStream, { file: { name: "long.jsonl", text } });
  expect(status).toBe(413);
  expect((error as { message: string }).message).toContain("1000000000 frames, more than 250000");
});
