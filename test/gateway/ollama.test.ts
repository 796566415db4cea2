import { afterEach, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
  TINY_PNG,
} from "../../src/testing/index.ts";
import { byProof } from "../support/proof.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

interface Line {
  readonly message?: {
    readonly content: string;
    readonly tool_calls?: {
      readonly function: { readonly name: string; readonly arguments: { readonly n: number } };
    }[];
  };
  readonly response?: string;
  readonly done: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
}

const WINDOW = 12_000;
const ROUNDS = byProof({ sample: 24, more: 40, all: 40 });
const TOOLS = [
  { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
];

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(options: FakeProviderOptions): Promise<void> {
  provider = await startFakeProvider({ window: WINDOW, ...options });
  // No model is asked for summaries, so every request that the provider gets is one of the client.
  gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, summarizer: "extractive" });
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

it.each([true, false])(
  `${ROUNDS} rounds of tools without ids, streamed %s: no request is refused`,
  async (stream) => {
    await start({
      reply: ({ number }) =>
        number % 7 === 6
          ? `That was number ${number}.`
          : {
              calls: [
                { name: "read", args: { n: number } },
                ...(number % 3 === 0 ? [{ name: "read", args: { n: -number } }] : []),
              ],
            },
    });
    const messages: object[] = [{ role: "user", content: "Read all files. The code word is marmalade-17." }];
    const actions: (string | null)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const response = await post(`${gateway.url}/ollama/api/chat`, {
        model: "qwen3:8b",
        messages,
        tools: TOOLS,
        stream,
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      actions.push(response.headers.get("x-precis-action"));
      const lines = linesOf(text);
      expect(lines.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
      expect(lines.at(-1)!.prompt_eval_count).toBeGreaterThan(0);
      const content = lines.map(({ message }) => message?.content ?? "").join("");
      const calls = lines.flatMap(({ message }) => message?.tool_calls ?? []);
      // As clients keep them: without ids.
      const kept = calls.map(({ function: fn }) => ({ function: fn }));
      messages.push({ role: "assistant", content, ...(kept.length > 0 && { tool_calls: kept }) });
      if (kept.length === 0) messages.push({ role: "user", content: `Go on with ${round}.` });
      for (const { function: fn } of kept)
        messages.push({
          role: "tool",
          tool_name: fn.name,
          content: `File ${fn.arguments.n}: ${`line ${fn.arguments.n} of it. `.repeat(320)}`,
        });
    }
    expect(provider.requests.map(({ error }) => error).filter(Boolean)).toEqual([]);
    expect(actions.filter((action) => action === "compacted").length).toBeGreaterThan(2);
    expect(JSON.stringify(provider.requests.at(-1)!.body)).toContain("marmalade-17");
    const { conversations } = (await (await fetch(`${gateway.url}/api/conversations`)).json()) as {
      conversations: object[];
    };
    expect(conversations).toHaveLength(1);
  },
);

it("a prompt is answered as generate answers, with its picture and its options", async () => {
  await start({ reply: "A dot." });
  const response = await post(`${gateway.url}/ollama/api/generate`, {
    model: "llava",
    system: "Be brief.",
    prompt: "What is this?",
    images: [TINY_PNG],
    options: { temperature: 0.2, num_predict: 64 },
    stream: false,
  });
  expect(await response.json()).toMatchObject({ model: "llava", response: "A dot.", done: true });
  expect(provider.requests[0]!.body).toMatchObject({
    temperature: 0.2,
    max_tokens: 64,
    messages: [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${TINY_PNG}` } },
        ],
      },
    ],
  });
});

it("streams by lines, a piece of the answer on each", async () => {
  await start({ reply: "One two three four five six seven eight nine ten." });
  const response = await post(`${gateway.url}/ollama/api/generate`, { model: "m", prompt: "Count." });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const lines = linesOf(await response.text());
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.map((line) => line.response).join("")).toBe(
    "One two three four five six seven eight nine ten.",
  );
});

it("errors are texts, as Ollama's clients expect them", async () => {
  await start({ faults: ["server-error"] });
  const failed = await post(`${gateway.url}/ollama/api/chat`, {
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(failed.status).toBe(500);
  expect(await failed.json()).toEqual({ error: expect.stringContaining("error") as string });
  const wrong = await post(`${gateway.url}/ollama/api/chat`, { model: "m" });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toEqual({ error: expect.stringContaining("messages") as string });
});

it("lists and shows the models of the upstreams, and tells a version", async () => {
  await start({ models: ["qwen3:8b"] });
  const get = async (path: string) => (await (await fetch(`${gateway.url}/ollama${path}`)).json()) as object;
  expect(await get("/api/tags")).toMatchObject({ models: [{ name: "qwen3:8b", model: "qwen3:8b" }] });
  expect(await get("/api/version")).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string });
  const shown = (await (await post(`${gateway.url}/ollama/api/show`, { model: "qwen3:8b" })).json()) as {
    model_info: Record<string, unknown>;
  };
  expect(shown.model_info["precis.context_length"]).toBe(WINDOW);
  expect(await (await fetch(`${gateway.url}/ollama`)).text()).toBe("Ollama is running");
});

it("embeddings are answered by any upstream, in Ollama's words", async () => {
  provider = await startFakeProvider({});
  const there = await startUpstream((request, body, response) => {
    if (request.url !== "/v1/embeddings") return void response.writeHead(404).end();
    const { model, input } = JSON.parse(body.toString()) as { model: string; input: string[] };
    const data = input.map((_, index) => ({ object: "embedding", index, embedding: [index, 0.5] }));
    response.setHeader("content-type", "application/json");
    if (model === "none")
      return void response.writeHead(404).end(JSON.stringify({ error: { message: "no such model" } }));
    response.end(JSON.stringify({ object: "list", model, data, usage: { prompt_tokens: 7 } }));
  });
  gateway = await startGateway(upstreamAt(there.url));
  const embed = async (model: string) => {
    const response = await post(`${gateway.url}/ollama/api/embed`, {
      model,
      input: ["a", "b"],
      keep_alive: "5m",
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  expect(await embed("e")).toMatchObject({
    status: 200,
    model: "e",
    embeddings: [
      [0, 0.5],
      [1, 0.5],
    ],
    prompt_eval_count: 7,
  });
  expect(await embed("none")).toEqual({ status: 404, error: "no such model" });
  await there.close();
});
