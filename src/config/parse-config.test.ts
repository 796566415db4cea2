import { describe, expect, it } from "vitest";
import { loadConfig } from "./load-config.ts";
import { parseConfig } from "./parse-config.ts";

const upstream = (more: object) => ({
  upstreams: [{ name: "a", baseURL: "https://x.example/v1", ...more }],
});
const clientKey = (more: object) => ({ auth: { keys: [{ name: "l", key: "k".repeat(20), ...more }] } });

/** Words of the library that checks: they are not for people. */
const LIBRARY_WORDS = /invalid|expected|received|too small|too big|unrecognized|undefined|regex|NaN/i;

describe("sizes", () => {
  it("are numbers, or texts with a unit, wherever tokens, times, days and bytes are set", async () => {
    const config = parseConfig({
      window: "200k",
      budget: "1m",
      reserve: "8k",
      startAt: "80k",
      landAt: 0.4,
      waitMs: "2s",
      summarizer: { model: "m", window: "32k" },
      retention: { conversationDays: "4w", requestDays: "12h", recordDays: 3 },
      limits: { bodyBytes: "16mb", drainMs: "5s", requestMs: 1_000 },
      ...upstream({ windows: { "q*": "32k" }, timeoutMs: "2m", reserve: "8,000" }),
    });
    expect(config).toMatchObject({
      window: 200_000,
      budget: 1_000_000,
      reserve: 8_000,
      startAt: 80_000,
      landAt: 0.4,
      waitMs: 2_000,
      summarizer: { window: 32_000 },
      retention: { conversationDays: 28, requestDays: 0.5, recordDays: 3 },
      limits: { bodyBytes: 16 * 1024 * 1024, drainMs: 5_000, requestMs: 1_000 },
      upstreams: [{ windows: { "q*": 32_000 }, timeoutMs: 120_000, reserve: 8_000 }],
    });
    expect(await loadConfig({ env: { PRECIS_WINDOW: "32k", PRECIS_BUDGET: "0.5m" } })).toMatchObject({
      window: 32_000,
      budget: 500_000,
    });
    expect(await loadConfig({ env: {}, flags: { window: "16k" } })).toMatchObject({ window: 16_000 });
  });
});

it("a share as a text is that share, and isn't rounded up to all of it", () => {
  expect(parseConfig({ startAt: "0.8", landAt: ".3", reserve: "0" })).toMatchObject({
    startAt: 0.8,
    landAt: 0.3,
    reserve: 0,
  });
});

describe("a config that can't be is refused with key, value and fix", () => {
  it.each<[unknown, key: string, given: string, fix: string]>([
    [{ prot: 1 }, "prot", "unknown key", "Did you mean port?"],
    [{ zzz: 1 }, "zzz", "unknown key", "The keys here are host, port, db, "],
    [{ port: "x" }, "port", '"x"', "a whole number from 0 to 65535"],
    [{ port: 70_000 }, "port", "70000", "a whole number from 0 to 65535"],
    [{ port: null }, "port", "null", "a whole number from 0 to 65535"],
    [{ host: "" }, "host", '""', "127.0.0.1"],
    [{ db: "mysql://h/x" }, "db", '"mysql://h/x"', "Give a file, postgres://…, or memory."],
    [{ store: "yes" }, "store", '"yes"', "Give true or false."],
    [{ workers: 0 }, "workers", "0", "a whole number from 1 to 256"],
    [{ window: 5 }, "window", "5 is too few", "at least 100, such as 8192, 32k or 1m"],
    [{ summary: { cap: 49 } }, "summary.cap", "49 is too few", "at least 50"],
    [{ window: "32kb" }, "window", '"32kb"', "at least 100, such as 8192, 32k or 1m"],
    [{ landAt: 0.7 }, "landAt", "0.7 is above 0.5", "Use at most 0.5."],
    [{ startAt: 0.4, landAt: 0.4 }, "landAt", "0.4 isn't below startAt (0.4)", "Raise startAt, lower landAt"],
    [{ startAt: "8k", landAt: "9k" }, "landAt", "9000 isn't below", "Raise startAt"],
    [{ budget: 100.5 }, "budget", "100.5", "a whole number of at least 100"],
    [{ profile: "agnt" }, "profile", '"agnt"', "Did you mean agent? It is one of agent, "],
    [{ strategy: 5 }, "strategy", "5", "It is one of none, truncate-oldest, "],
    [{ startAt: 80 }, "startAt", "80", "Did you mean 0.8?"],
    [{ startAt: 99_999_999_999 }, "startAt", "99999999999 is larger than any window", "a share above 0"],
    [{ startAt: "1.5" }, "startAt", '"1.5"', "a share above 0"],
    [{ window: "32,5" }, "window", '"32,5"', "at least 100"],
    [{ reserve: -1 }, "reserve", "-1", "at least 100 tokens"],
    [{ placement: "top" }, "placement", '"top"', "It is one of user, system, merged."],
    [{ waitMs: "soon" }, "waitMs", '"soon"', "such as 500ms, 30s, 10m or 2h"],
    [{ summarizer: "gpt-5" }, "summarizer", '"gpt-5"', 'Give "same", "extractive", or an object'],
    [{ summarizer: { modl: "m" } }, "summarizer.modl", "unknown key", "Did you mean model?"],
    [{ summarizer: {} }, "summarizer.model", "missing", "gpt-5-mini"],
    [{ summarizer: { model: "m", window: "x" } }, "summarizer.window", '"x"', "at least 100"],
    [{ summarizer: { model: "m", upstream: "b" } }, "summarizer.upstream", "no upstream b", "none"],
    [{ upstreams: {} }, "upstreams", "an object isn't a list", "Give a list such as"],
    [
      { upstreams: ["https://x"] },
      "upstreams.0",
      '"https://x" isn\'t an object',
      "its keys are name, baseURL",
    ],
    [{ upstreams: [{ name: "a" }] }, "upstreams.0.baseURL", "missing", "https://api.openai.com/v1"],
    [upstream({ name: "a b" }), "upstreams.0.name", '"a b"', "letters, digits, dots and dashes"],
    [upstream({ baseURL: "localhost:1" }), "upstreams.0.baseURL", '"localhost:1"', "such as https://"],
    [upstream({ dialects: ["openai"] }), "upstreams.0.dialects.0", '"openai"', "Did you mean openai-chat?"],
    [upstream({ dialects: [] }), "upstreams.0.dialects", "an empty list", "or leave the key out"],
    [upstream({ models: "gpt-*" }), "upstreams.0.models", '"gpt-*" isn\'t a list', 'such as ["gpt-*"]'],
    [upstream({ headers: { "a b": "x" } }), "upstreams.0.headers.a b", "this name", '{ "x-team": "blue" }'],
    [upstream({ windows: { "q*": "big" } }), "upstreams.0.windows.q*", '"big"', "at least 100"],
    [upstream({ timeoutMs: 0 }), "upstreams.0.timeoutMs", "0", "such as 500ms, 30s"],
    [upstream({ windwos: {} }), "upstreams.0.windwos", "unknown key", "Did you mean windows?"],
    [{ auth: "keys" }, "auth", '"keys" isn\'t an object', "its keys are mode, keys"],
    [{ auth: { mode: "none" } }, "auth.mode", '"none"', "It is one of open, keys."],
    [{ auth: { keys: {} } }, "auth.keys", "an object isn't a list", "Give a list such as"],
    [clientKey({ limits: { perMinute: 1 } }), "auth.keys.0.limits.perMinute", "unknown key", "requestsPer"],
    [{ cors: "*" }, "cors", '"*" isn\'t a list', "Give a list such as"],
    [{ cors: ["https://x.example/a"] }, "cors.0", '"https://x.example/a"', "without a path"],
    [{ hosts: ["https://x"] }, "hosts.0", '"https://x"', "without scheme, port and path"],
    [{ retention: 30 }, "retention", "30 isn't an object", "conversationDays"],
    [{ retention: { requestDays: 0 } }, "retention.requestDays", "0", "such as 12h, 30d or 4w"],
    [{ limits: { bodyBytes: "64 megs" } }, "limits.bodyBytes", '"64 megs"', "512kb or 64mb"],
    [{ log: "verbose" }, "log", '"verbose"', "silent, error, warn, info, debug"],
    [{ $schema: 5 }, "$schema", "5", "Leave it out"],
    [[], "the file", "[] isn't an object", "its keys are host, "],
  ])("%j", (input, key, given, fix) => {
    const error = refusal(input);
    expect(error.message).toMatch(/^precis: option `/);
    expect(error).toMatchObject({ code: "config", option: key });
    expect(error.message).toContain(given);
    expect(error.message).toContain("in the file");
    expect(error).toHaveProperty("fix", expect.stringContaining(fix));
    expect(error.message).not.toMatch(LIBRARY_WORDS);
  });

  it("and never with a secret", () => {
    for (const input of [
      { db: "mysql://me:hunter2@h/x" },
      upstream({ baseURL: "https://me:hunter2@x" }),
      upstream({ apiKey: { hunter2: 1 } }),
      upstream({ headers: { authorization: ["hunter2"] } }),
      { auth: { keys: [{ name: "a", key: "hunter2" }] } },
    ])
      expect(refusal(input).message).not.toContain("hunter2");
  });

  it.each([() => 1, Symbol("x"), 1n])(
    "a value that no file can hold is refused with the option's name",
    (value) => {
      for (const option of ["port", "summarizer", "limits"])
        expect(refusal({ ...upstream({}), [option]: value })).toMatchObject({
          name: "ConfigError",
          message: expect.stringContaining(option),
        });
    },
  );
});

function refusal(input: unknown): Error {
  try {
    parseConfig(input, "the file");
  } catch (error) {
    return error as Error;
  }
  throw new Error(`accepted: ${JSON.stringify(input)}`);
}
