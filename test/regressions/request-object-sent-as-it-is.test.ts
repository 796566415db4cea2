import { afterAll, describe, expect, it } from "vitest";
import { PrecisError } from "../../src/core/errors.ts";
import { precisMiddleware } from "../../src/integrations/ai-sdk/index.ts";
import { type FetchLike, precisFetch } from "../../src/integrations/clients/index.ts";
import { chat, gemini, startFakeProvider } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";

const provider = await startFakeProvider({ window: 4_000 });
afterAll(() => provider.close());

const url = `${provider.url}/v1/chat/completions`;
const body = JSON.stringify({ model: "gpt-4o", messages: [...talk(40), chat.user("now?")] });
const headers = { "content-type": "application/json", authorization: "Bearer key" };
const SENT: Readonly<Record<string, (send: FetchLike) => Promise<Response>>> = {
  "a text": (send) => send(url, { method: "POST", headers, body }),
  "a Request": (send) => send(new Request(url, { method: "POST", headers, body })),
  "a Request and a body": (send) => send(new Request(url, { method: "POST", headers }), { body }),
  bytes: (send) => send(new URL(url), { method: "POST", headers, body: new TextEncoder().encode(body) }),
  "a Blob": (send) => send(url, { method: "POST", headers, body: new Blob([body]) }),
};

describe.each(Object.entries(SENT))("a request that is sent as %s", (_, sent) => {
  it("is made to fit, and keeps its headers", async () => {
    const response = await sent(precisFetch({ window: 4_000 }));
    expect(response.status, await response.text()).toBe(200);
    expect(provider.requests.at(-1)?.headers["authorization"]).toBe("Bearer key");
  });
});

it.each(["generateContent", "streamGenerateContent?alt=sse"])(
  "a request to Gemini's %s is made to fit, and what it tells of tokens is learned",
  async (method) => {
    const contents = Array.from({ length: 40 }, (_, n) => [
      gemini.user(`Question ${n}: ${"what about the garden? ".repeat(20)}`),
      gemini.assistant(`Answer ${n}: ${"water it twice a week. ".repeat(20)}`),
    ]).flat();
    const outcomes: string[] = [];
    const send = precisFetch({ window: 4_000, onView: ({ report }) => outcomes.push(report.outcome) });
    const asked = { contents: [...contents, gemini.user("now?")] };
    const response = await send(`${provider.url}/v1beta/models/gemini-2.0-flash:${method}`, {
      method: "POST",
      headers,
      body: JSON.stringify(asked),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("OK.");
    expect(outcomes).toEqual(["compacted"]);
    expect(provider.requests.at(-1)).toMatchObject({ api: "gemini", lastUser: "now?", status: 200 });
  },
);

it("a Request ends with its own signal", async () => {
  const never: FetchLike = (_input, init) =>
    new Promise((_resolve, reject) =>
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
    );
  const controller = new AbortController();
  const { signal } = controller;
  const send = precisFetch({ window: 4_000, fetch: never });
  const call = send(new Request(url, { method: "POST", headers, body, signal }));
  setTimeout(() => controller.abort(new Error("enough")), 20);
  await expect(call).rejects.toThrow("enough");
});

it("a path without a host is sent as it came", async () => {
  const seen: unknown[] = [];
  const send = precisFetch({
    window: 4_000,
    fetch: async (input, init) => {
      seen.push(input, String(init?.body).length < body.length);
      return new Response("{}");
    },
  });
  await send("/v1/chat/completions", { method: "POST", body });
  await send("/other", { method: "POST", body: "x" });
  expect(seen).toEqual(["/v1/chat/completions", true, "/other", true]);
});

it("messages that precis can't read are the provider's to refuse", async () => {
  const messages = [{ role: "narrator", content: "x" }];
  const send = precisFetch({ window: 4_000 });
  const response = await send(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("Invalid value: 'narrator'");
});

it.each([{ window: -5 }, { windw: 5 }, { startAt: 80 }, { strategy: "nope" }, { profile: "agent" }])(
  "options that can't work are refused where an adapter is made: %o",
  (options) => {
    expect(() => precisFetch(options as never)).toThrow(PrecisError);
    expect(() => precisMiddleware(options as never)).toThrow(PrecisError);
  },
);

it("`count` has two values", () => {
  expect(() => precisFetch({ window: 4_000, count: "server" as never })).toThrow(/tokenizer, provider/);
});
