import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText, longTask } from "./long-task.ts";
import {
  answeredMessage,
  compactJson,
  dumpedMessage,
  pythonHeaders,
  pythonTools,
  spacedJson,
} from "./python-openai-shapes.ts";
import { totalsOf } from "./totals-of.ts";

const WINDOW = 8_000;
const ROUNDS = byProof({ sample: 30, more: 60, all: 60 });

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function start(options: FakeProviderOptions = {}) {
  const provider: FakeProvider = await startFakeProvider({ window: WINDOW, ...options });
  closing.push(provider.close);
  const running = await startGateway({ ...upstreamAt(provider.url), window: WINDOW });
  closing.push(running.close);
  // Not by `fetch`, which adds headers of its own.
  const post = (path: string, raw: string, headers = pythonHeaders()): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${running.url}${path}`, {
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(raw) },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            text: Buffer.concat(pieces).toString(),
          }),
        );
      });
      sent.end(raw);
    });
  return { provider, running, post };
}

interface Completion {
  readonly choices: {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: { readonly id: string; readonly function: { readonly arguments: string } }[];
    };
  }[];
}

describe("requests of the Python package openai", () => {
  it.each([
    ["as httpx writes it now", compactJson],
    ["as httpx wrote it before", spacedJson],
  ])("a request that fits leaves byte for byte, %s", async (_, json) => {
    const { provider, post } = await start();
    const raw = json({
      messages: [
        { role: "developer", content: "You are kind: naïve, 你好, 🧵." },
        { role: "user", content: [{ type: "text", text: "Grüße aus Köln 🚲" }] },
      ],
      model: "gpt-4o",
      parallel_tool_calls: false,
      temperature: 0.0,
      tools: pythonTools,
    });
    const { status } = await post("/v1/chat/completions", raw);
    expect(status).toBe(200);
    const [seen] = provider.requests;
    expect(seen!.raw).toBe(raw);
    const { connection: _connection, ...forwarded } = pythonHeaders();
    expect(seen!.headers).toMatchObject(forwarded);
  });

  it("a stream comes as one, though json is all that the request accepts, with its usage at the end", async () => {
    const { post } = await start({ reply: "Grüße zurück" });
    const { status, type, text } = await post(
      "/v1/chat/completions",
      compactJson({
        messages: [{ role: "user", content: "Hello" }],
        model: "gpt-4o",
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(status).toBe(200);
    expect(type).toContain("text/event-stream");
    const events = text.split("\n\n").filter((event) => event !== "");
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(JSON.parse(events.at(-2)!.slice("data: ".length))).toMatchObject({
      choices: [],
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("a retry is the same conversation", async () => {
    const { provider, running, post } = await start();
    provider.failNext("server-error");
    const raw = compactJson({ messages: [{ role: "user", content: "Hello" }], model: "gpt-4o" });
    expect((await post("/v1/chat/completions", raw)).status).toBe(500);
    const again = pythonHeaders({ "x-stainless-retry-count": "1" });
    expect((await post("/v1/chat/completions", raw, again)).status).toBe(200);
    const { conversations } = await running.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([2]);
  });

  it("other calls of the package pass", async () => {
    const { provider, post } = await start();
    const raw = compactJson({
      input: ["a", "b"],
      model: "text-embedding-3-small",
      encoding_format: "base64",
    });
    // The fake provider has no embeddings, and says so in its own words.
    const { status, text } = await post("/v1/embeddings", raw);
    expect(status).toBe(404);
    expect(text).toContain("Invalid URL");
    expect(provider.otherRequests.map((one) => one.raw)).toEqual([raw]);
  });

  it.each<[string, (answer: Completion["choices"][number]["message"]) => object, Record<string, string>]>([
    ["appended as they came", answeredMessage, {}],
    ["dumped with every field", dumpedMessage, {}],
    ["asked for by with_raw_response", answeredMessage, { "x-stainless-raw-response": "true" }],
    ["awaited", answeredMessage, { "x-stainless-async": "async:asyncio" }],
  ])("a long tool loop stays in its window; answers %s", async (_, asMessage, more) => {
    const { provider, running, post } = await start({ reply: longTask(ROUNDS).reply });
    const headers = pythonHeaders(more);
    const messages: object[] = [
      { role: "system", content: "You are a careful engineer." },
      { role: "user", content: "Read all the files. The ticket is PRE-4711." },
    ];
    let last: string | null = null;
    for (let round = 0; round <= ROUNDS; round++) {
      const { status, text } = await post(
        "/v1/chat/completions",
        compactJson({ messages, model: "gpt-4o", tools: pythonTools }),
        headers,
      );
      expect(status, text).toBe(200);
      const { message } = (JSON.parse(text) as Completion).choices[0]!;
      messages.push(asMessage(message));
      last = message.content;
      for (const call of message.tool_calls ?? []) {
        const { path } = JSON.parse(call.function.arguments) as { path: string };
        messages.push({ role: "tool", tool_call_id: call.id, content: fileText(path) });
      }
    }
    expect(last).toContain("TASK-DONE");
    expect(provider.requests.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
    expect((await totalsOf(running.url)).compactions).toBeGreaterThan(2);
    const { conversations } = await running.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([messages.length - 1]);
  });

  it("a long tool loop over Responses, with outputs dumped as they came", async () => {
    const { provider, post } = await start({ reply: longTask(ROUNDS).reply });
    const input: object[] = [{ role: "user", content: "Read all the files. The ticket is PRE-4711." }];
    let last = "";
    for (let round = 0; round <= ROUNDS; round++) {
      const { status, text } = await post(
        "/v1/responses",
        compactJson({
          include: ["reasoning.encrypted_content"],
          input,
          instructions: "You are a careful engineer.",
          model: "gpt-5",
          store: false,
          tools: pythonTools.map(({ type, function: tool }) => ({ type, ...tool })),
        }),
      );
      expect(status, text).toBe(200);
      const { output } = JSON.parse(text) as { output: Record<string, unknown>[] };
      // `item.model_dump()` names fields that the answer left out.
      input.push(...output.map((item) => ({ status: null, ...item })));
      for (const { type, call_id, arguments: args, content } of output) {
        if (type === "message") last = JSON.stringify(content);
        if (type !== "function_call") continue;
        const { path } = JSON.parse(args as string) as { path: string };
        input.push({ type: "function_call_output", call_id, output: fileText(path) });
      }
    }
    expect(last).toContain("TASK-DONE");
    expect(provider.requests.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
  });
});
