import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { ConfigError, ModelError } from "../core/errors.ts";
import type { ModelRequest } from "../core/types.ts";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from "../testing/fake-provider/index.ts";
import { type OpenAICompatibleOptions, openaiCompatible } from "./openai-compatible.ts";

const running: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.close()));
});

async function setUp(options: FakeProviderOptions = {}, model: Partial<OpenAICompatibleOptions> = {}) {
  const provider = await startFakeProvider(options);
  running.push(provider);
  const made = openaiCompatible({
    baseURL: `${provider.url}/v1`,
    apiKey: "sk-secret-1234567890",
    model: "gpt-4o-mini",
    retry: { baseMs: 1, maxMs: 2 },
    ...model,
  });
  return { provider, model: made };
}

const REQUEST: ModelRequest = {
  name: "summarize-full",
  system: "You summarize.",
  messages: [{ role: "user", text: "Summarize this." }],
  cap: 500,
  temperature: 0.3,
};

describe.each(["chat", "responses"] as const)("%s", (api) => {
  test("asks and reads the answer", async () => {
    const { model, provider } = await setUp({ reply: "A summary." }, { api });
    const reply = await model.complete(REQUEST);
    expect(reply).toMatchObject({ text: "A summary.", stop: "end", model: "gpt-4o-mini" });
    expect(reply.usage?.input).toBeGreaterThan(0);
    expect(reply.usage?.output).toBe(3);
    const [request] = provider.requests;
    expect(request).toMatchObject({
      api,
      cap: 500,
      streamed: false,
      messages: [
        { role: "system", text: "You summarize." },
        { role: "user", text: "Summarize this." },
      ],
    });
    expect(request?.headers["authorization"]).toBe("Bearer sk-secret-1234567890");
    expect(request?.body["temperature"]).toBe(0.3);
  });

  test.each([
    [{ text: "No.", stop: "refusal" as const }, "refusal"],
    [{ text: "x", stop: "content-filter" as const }, "refusal"],
    [{ calls: [{ name: "read" }] }, "tool-call"],
    ["word ".repeat(2_000), "length"],
  ])("%j stops as %s", async (reply, stop) => {
    const { model } = await setUp({ reply }, { api });
    expect((await model.complete(REQUEST)).stop).toBe(stop);
  });

  test("a model's own rules: no temperature, and room to think", async () => {
    const { model, provider } = await setUp(
      { reply: { reasoning: "t ".repeat(900), text: "A summary." } },
      { api, model: "gpt-5-mini" },
    );
    expect(await model.complete(REQUEST)).toMatchObject({ text: "A summary.", stop: "end" });
    expect(provider.requests.map((request) => request.status)).toEqual([200]);
    expect(provider.requests[0]?.body).not.toHaveProperty("temperature");
    expect(provider.requests[0]?.cap).toBe(8_692);
  });

  test("its own window is told, and passes the option on", async () => {
    const { model } = await setUp({}, { api, window: 32_000 });
    expect(model).toMatchObject({
      id: "gpt-4o-mini",
      window: 32_000,
      continues: api === "chat" ? "openai-chat" : "openai-responses",
    });
    expect((await setUp({}, { api })).model).not.toHaveProperty("window");
  });
});

describe("continues", () => {
  const TOOLS = [
    { type: "function", function: { name: "read", description: "Reads", parameters: { type: "object" } } },
  ];
  const LONG = "The user wants the report to be exact. ".repeat(300);

  test("chat: the conversation's request byte for byte, then the new message; the cache is hit", async () => {
    const { model, provider } = await setUp({ reply: "OK." });
    const given = {
      stream: true,
      stream_options: { include_usage: true },
      model: "gpt-4o-mini",
      tools: TOOLS,
      tool_choice: "auto",
      messages: [
        { role: "system", content: LONG },
        { role: "user", content: "Go" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "read", arguments: '{ "path": "a" }' } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "text" },
      ],
      max_tokens: 4_000,
      user: "u1",
    };
    await fetch(`${provider.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(given) }).then(
      (r) => r.text(),
    );
    const before = JSON.stringify(given);
    const reply = await model.complete({ ...REQUEST, continues: given });
    expect(JSON.stringify(given)).toBe(before);
    const [first, second] = provider.requests;
    expect(second?.status).toBe(200);
    // Everything that came before the new message is the same bytes in the same order.
    const start = JSON.stringify(given.messages).slice(0, -1);
    expect(second?.raw).toContain(`"messages":${start},{"role":"user","content":"Summarize this."}]`);
    expect(Object.keys(second?.body ?? {})).toEqual([
      ...Object.keys(given).filter((key) => key !== "stream_options"),
      "temperature",
    ]);
    const { messages: _, stream_options: __, ...fields } = given;
    expect(second?.body).toMatchObject({ ...fields, stream: false, max_tokens: 500 });
    // The summary's own settings hold, whatever it continues.
    expect(second?.body["temperature"]).toBe(REQUEST.temperature);
    expect(reply.usage?.cacheRead).toBeGreaterThan(0.9 * (first?.tokens.input ?? 0));
  });

  test("chat: a cap under its newer name stays under it", async () => {
    const { model, provider } = await setUp({}, { model: "gpt-5" });
    await model.complete({
      ...REQUEST,
      continues: {
        model: "gpt-5",
        messages: [{ role: "user", content: "x" }],
        max_completion_tokens: 20_000,
      },
    });
    expect(provider.requests[0]?.body).toMatchObject({ max_completion_tokens: 8_692 });
    expect(provider.requests[0]?.body).not.toHaveProperty("max_tokens");
  });

  test("responses: items appended, reasoning and everything else kept", async () => {
    const { model, provider } = await setUp({ reply: "OK." }, { api: "responses" });
    const tools = [{ type: "function", name: "read", parameters: {}, strict: false }];
    const given = {
      model: "gpt-4o-mini",
      instructions: LONG,
      input: [
        { role: "user", content: "Go" },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output: "text" },
      ],
      tools,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      stream: true,
    };
    await fetch(`${provider.url}/v1/responses`, { method: "POST", body: JSON.stringify(given) }).then((r) =>
      r.text(),
    );
    const reply = await model.complete({ ...REQUEST, continues: given });
    const second = provider.requests[1];
    expect(second?.status).toBe(200);
    expect(second?.raw).toContain(
      `"input":${JSON.stringify(given.input).slice(0, -1)},{"role":"user","content":"Summarize this."}]`,
    );
    expect(second?.body).toMatchObject({
      store: false,
      prompt_cache_key: "k",
      tools,
      stream: false,
      max_output_tokens: 500,
    });
    expect(second?.body).not.toHaveProperty("metadata");
    expect(reply.usage?.cacheRead).toBeGreaterThan(2_000);
  });

  test("responses: an input given as text", async () => {
    const { model, provider } = await setUp({}, { api: "responses" });
    await model.complete({ ...REQUEST, continues: { model: "gpt-4o-mini", input: "Hello" } });
    expect(provider.requests[0]?.messages.map((message) => message.text)).toEqual([
      "Hello",
      "Summarize this.",
    ]);
  });

  test("a request of another format is refused before anything is sent", async () => {
    const { model, provider } = await setUp();
    for (const continues of [{ input: [] }, "text", null, [1]])
      await expect(model.complete({ ...REQUEST, continues })).rejects.toMatchObject({
        failure: "bad-request",
      });
    expect(provider.requests).toEqual([]);
  });
});

describe("what goes wrong", () => {
  test.each(["rate-limited", "server-error", "overloaded", "reset", "wrong-json"] as const)(
    "%s is tried again",
    async (fault) => {
      const { model, provider } = await setUp({
        reply: "Fine.",
        faults: [
          { type: fault, ms: 5 },
          { type: fault, ms: 5 },
        ],
      });
      expect((await model.complete(REQUEST)).text).toBe("Fine.");
      expect(provider.requests).toHaveLength(3);
    },
  );

  test.each([
    ["unauthorized", "auth"],
    ["too-long", "too-long"],
  ] as const)("%s is not tried again", async (fault, failure) => {
    const { model, provider } = await setUp({ faults: () => fault });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure, retryable: false });
    expect(provider.requests).toHaveLength(1);
  });

  test.each(["refusal", "cut-off", "empty", "garbage"] as const)(
    "%s is an answer, judged by whoever asked",
    async (fault) => {
      const { model, provider } = await setUp({ reply: "Some words to cut.", faults: () => fault });
      const reply = await model.complete(REQUEST);
      expect(reply.stop).toBe(fault === "refusal" ? "refusal" : fault === "cut-off" ? "length" : "end");
      expect(provider.requests).toHaveLength(1);
    },
  );

  test("waits as long as the provider asks", async () => {
    const { model } = await setUp({ reply: "Fine.", faults: [{ type: "rate-limited", ms: 80 }] });
    const start = performance.now();
    await model.complete(REQUEST);
    expect(performance.now() - start).toBeGreaterThanOrEqual(75);
  });

  test("gives up within its deadline, and at once when cancelled", async () => {
    const { model, provider } = await setUp({ faults: () => "never" }, { retry: { deadlineMs: 80 } });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure: "timeout" });
    const controller = new AbortController();
    const waiting = model.complete({ ...REQUEST, signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ failure: "cancelled" });
    expect(provider.requests.length).toBeLessThanOrEqual(2);
  });

  test("nobody there", async () => {
    const provider = await startFakeProvider();
    await provider.close();
    const model = openaiCompatible({
      baseURL: `${provider.url}/v1`,
      model: "m",
      retry: { attempts: 2, baseMs: 1 },
    });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure: "network", retryable: true });
  });

  test("a summary that doesn't fit the summariser's window tells the numbers", async () => {
    const { model } = await setUp({ window: 2_000 });
    const request = { ...REQUEST, messages: [{ role: "user" as const, text: "word ".repeat(4_000) }] };
    await expect(model.complete(request)).rejects.toThrow(/5012 tokens, 2000 fit/);
  });
});

describe("learns what a server doesn't take", () => {
  /** Refuses a field in the words given, then answers whatever comes. */
  function stubborn(refuse: (body: Record<string, unknown>) => string | undefined, answer: unknown = ANSWER) {
    const bodies: Record<string, unknown>[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      const body = JSON.parse(String(init.body)) as Record<string, unknown>;
      bodies.push(body);
      const message = refuse(body);
      return message === undefined
        ? Response.json(answer)
        : Response.json({ error: { message } }, { status: 400 });
    };
    return { fetch, bodies };
  }
  const ANSWER = {
    choices: [{ message: { content: "Fine." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 7 },
  };
  const make = (fetch: OpenAICompatibleOptions["fetch"], more: Partial<OpenAICompatibleOptions> = {}) =>
    openaiCompatible({
      baseURL: "http://localhost:1/v1",
      model: "house-model",
      ...(fetch ? { fetch } : {}),
      ...more,
    });

  test("a temperature, once and for all", async () => {
    const { fetch, bodies } = stubborn((body) =>
      "temperature" in body
        ? "Unsupported value: 'temperature' does not support 0.3 with this model."
        : undefined,
    );
    const model = make(fetch);
    expect((await model.complete(REQUEST)).text).toBe("Fine.");
    expect((await model.complete(REQUEST)).text).toBe("Fine.");
    expect(bodies.map((body) => "temperature" in body)).toEqual([true, false, false]);
  });

  test("the other name of the cap", async () => {
    const { fetch, bodies } = stubborn((body) =>
      "max_tokens" in body
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : undefined,
    );
    await make(fetch).complete(REQUEST);
    expect(bodies[1]).toMatchObject({ max_completion_tokens: 500 });
  });

  test("a smaller cap", async () => {
    const { fetch, bodies } = stubborn((body) =>
      (body["max_tokens"] as number) > 256
        ? "max_tokens is too large: 500. This model supports at most 256 completion tokens, whereas you provided 500."
        : undefined,
    );
    await make(fetch).complete(REQUEST);
    expect(bodies[1]).toMatchObject({ max_tokens: 256 });
  });

  test("no room to think, where cap and input together are too long", async () => {
    const bodies: number[] = [];
    const fetch = async (_: string, init: RequestInit) => {
      const { max_tokens } = JSON.parse(String(init.body)) as { max_tokens: number };
      bodies.push(max_tokens);
      const message =
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7476 in the messages, 1524 in the completion).";
      return max_tokens > 500 ? Response.json({ message }, { status: 400 }) : Response.json(ANSWER);
    };
    await make(fetch, { model: "qwen3-8b", window: 8_192 }).complete(REQUEST);
    expect(bodies).toEqual([1_524, 500]);
    await expect(
      make(async () => Response.json({ message: "prompt is too long" }, { status: 400 })).complete(REQUEST),
    ).rejects.toMatchObject({
      failure: "too-long",
    });
  });

  test("and remembers it when the request is tried again", async () => {
    let calls = 0;
    const { fetch: refuse, bodies } = stubborn((body) =>
      "temperature" in body ? "'temperature' is not supported" : undefined,
    );
    const fetch = async (url: string, init: RequestInit) =>
      ++calls === 2 ? new Response("", { status: 503 }) : refuse(url, init);
    await make(fetch, { retry: { baseMs: 1 } }).complete(REQUEST);
    expect(bodies.map((body) => "temperature" in body)).toEqual([true, false]);
  });

  test("streaming alone, and reads the stream", async () => {
    const events = [
      { model: "house-model", choices: [{ delta: { role: "assistant", content: "" } }] },
      { choices: [{ delta: { content: "A sum" } }] },
      { choices: [{ delta: { content: "mary." }, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
    ];
    const sse = `${events.map((event) => `data: ${JSON.stringify(event)}`).join("\r\n\r\n")}\r\n\r\ndata: [DONE]\r\n\r\n`;
    const fetch = async (_: string, init: RequestInit) =>
      (JSON.parse(String(init.body)) as { stream: boolean }).stream
        ? new Response(sse, { headers: { "content-type": "text/event-stream" } })
        : Response.json({ detail: "Stream must be set to true" }, { status: 400 });
    expect(await make(fetch).complete(REQUEST)).toEqual({
      text: "A summary.",
      stop: "end",
      usage: { input: 9, output: 2 },
      model: "house-model",
    });
  });

  test("but goes round no circle", async () => {
    const { fetch, bodies } = stubborn(
      () => "Unsupported parameter: 'temperature', 'max_tokens' and 'max_completion_tokens'.",
    );
    await expect(make(fetch).complete(REQUEST)).rejects.toMatchObject({ failure: "bad-request" });
    expect(bodies.length).toBeLessThanOrEqual(4);
  });

  test.each([
    ["thoughts in front of the answer", { content: "<think>hm\n…</think>\n\nA summary." }, "A summary."],
    ["thoughts without an end", { content: "<think>hm" }, ""],
    [
      "parts",
      {
        content: [
          { type: "text", text: "A " },
          { type: "text", text: "summary." },
        ],
      },
      "A summary.",
    ],
    ["nothing", { content: null }, ""],
  ])("reads %s", async (_, message, text) => {
    const { fetch } = stubborn(() => undefined, { choices: [{ message, finish_reason: "stop" }] });
    expect((await make(fetch).complete(REQUEST)).text).toBe(text);
  });

  test.each([
    ["no choices", { choices: [] }],
    ["something else", { hello: "world" }],
    ["a list", []],
  ])("%s is a bad answer", async (_, answer) => {
    const { fetch } = stubborn(() => undefined, answer);
    const model = make(fetch, { retry: { attempts: 1 } });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure: "bad-answer" });
  });

  test("an error inside an answer 200 is an error", async () => {
    const { fetch } = stubborn(() => undefined, { error: { message: "Provider returned error", code: 429 } });
    const model = make(fetch, { retry: { attempts: 1 } });
    await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure: "rate-limited", status: 429 });
  });
});

describe("options", () => {
  test("a missing key is told when the model is made", () => {
    for (const apiKey of [undefined, "", "  "]) {
      expect(() => openaiCompatible({ apiKey, model: "gpt-4o" })).toThrow(ConfigError);
      expect(() => openaiCompatible({ apiKey, model: "gpt-4o" })).toThrow(
        /option `apiKey`: it is missing, and api.openai.com/,
      );
    }
  });

  test("needs no key on this machine, or with a header that carries one", () => {
    for (const baseURL of [
      "http://localhost:11434/v1",
      "http://127.0.0.1:1/v1",
      "http://[::1]:1/v1",
      "http://192.168.1.7:1/v1",
      "http://ollama:1/v1",
    ])
      openaiCompatible({ baseURL, model: "m" });
    openaiCompatible({
      baseURL: "https://x.openai.azure.com/openai/v1",
      model: "m",
      headers: { "API-Key": "k" },
    });
  });

  test("refuses addresses, models and windows that can't work", () => {
    const base = { apiKey: "k", model: "m" };
    for (const options of [
      { ...base, baseURL: "localhost:1" },
      { ...base, baseURL: "ftp://x" },
      { ...base, model: " " },
      { ...base, window: -1 },
    ])
      expect(() => openaiCompatible(options)).toThrow(ConfigError);
  });

  test("a key is never shown: not by the model, not by an error, not by a bad header", async () => {
    const key = "sk-live-abcdef0123456789";
    const { model } = await setUp({ faults: () => "unauthorized" }, { apiKey: key });
    const error = await model.complete(REQUEST).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ModelError);
    for (const shown of [
      inspect(model, { depth: 9, showHidden: true }),
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
    ])
      expect(shown).not.toContain(key);
    for (const bad of [`${key}\nx`, `${key}é→`]) {
      const thrown = (() => {
        try {
          openaiCompatible({ apiKey: bad, model: "m" });
        } catch (caught) {
          return inspect(caught, { depth: 9 });
        }
        return "";
      })();
      expect(thrown).toContain("apiKey");
      expect(thrown).not.toContain(key);
    }
  });

  test("a redirect isn't followed with the key", async () => {
    const { provider } = await setUp();
    const server = createServer((_, response) => {
      response.writeHead(307, { location: `${provider.url}/v1/chat/completions` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const model = openaiCompatible({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "k", model: "m" });
    const sent = model.complete(REQUEST).finally(() => server.close());
    await expect(sent).rejects.toMatchObject({ failure: "bad-request", status: 307, retryable: false });
    expect(provider.requests).toEqual([]);
  });
});
