import { afterEach, describe, expect, it } from "vitest";
import type { ModelsAnswer } from "../../src/gateway/api.ts";
import { createUpstream } from "../../src/gateway/upstream/upstream.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const MODEL = "my-finetune-7b";
const WINDOW = 40_960;
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }],
});

/** What servers tell, by the path where they tell it. */
const SERVERS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  "llama.cpp": {
    "/v1/models": { object: "list", data: [{ id: "model.gguf", meta: { n_ctx_train: 131_072 } }] },
    "/props": { default_generation_settings: { n_ctx: WINDOW }, total_slots: 1 },
  },
  vLLM: { "/v1/models": { data: [{ id: MODEL, owned_by: "vllm", max_model_len: WINDOW }, { id: "other" }] } },
  "LM Studio": {
    "/v1/models": { data: [{ id: MODEL }, { id: "other" }] },
    "/api/v0/models": { data: [{ id: MODEL, loaded_context_length: WINDOW, max_context_length: 131_072 }] },
  },
  "Ollama, with the model loaded": {
    "/v1/models": { data: [{ id: MODEL }, { id: "other" }] },
    "/api/show": { model_info: { "llama.context_length": 131_072 } },
    "/api/ps": {
      models: [
        { name: "other", context_length: 4_096 },
        { name: MODEL, context_length: WINDOW },
      ],
    },
  },
  "Ollama, with a window in the model's file": {
    "/v1/models": { data: [{ id: MODEL }, { id: "other" }] },
    "/api/show": {
      parameters: `stop "x"\nnum_ctx   ${WINDOW}`,
      model_info: { "llama.context_length": 131_072 },
    },
    "/api/ps": { models: [] },
  },
  "Ollama, with a window that the model was made for": {
    "/v1/models": { data: [{ id: MODEL }, { id: "other" }] },
    "/api/show": { model_info: { "general.architecture": "llama", "llama.context_length": WINDOW } },
    "/api/ps": { models: [{ name: "other", context_length: 4_096 }] },
  },
};

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await there.close();
});

async function start(told: Readonly<Record<string, object>> | "hangs", config: object = {}): Promise<void> {
  there = await startUpstream((request, _, response) => {
    if (request.method === "POST" && request.url !== "/api/show") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(ANSWER);
      return;
    }
    if (told === "hangs") return;
    const found = told[request.url!];
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  });
  gateway = await startGateway({ ...upstreamAt(`${there.url}/v1`), summarizer: "extractive", ...config });
}

/** Some 25,000 tokens in many messages: three times what is assumed of a model that nobody knows. */
const messages = Array.from({ length: 51 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `${n}: ${"several words of a talk ".repeat(100)}`,
}));
const ask = (model = MODEL) => post(`${gateway.url}/v1/chat/completions`, { model, messages });
const isQuestion = ({ request }: OwnUpstream["seen"][0]) =>
  request.method === "GET" || request.url === "/api/show";
const asked = () => there.seen.filter(isQuestion);
const sent = () =>
  there.seen
    .filter((one) => !isQuestion(one))
    .map(({ body }) => (JSON.parse(body.toString()) as { messages: unknown[] }).messages);

describe.each(Object.entries(SERVERS))("%s", (_, told) => {
  it("tells its window, so a conversation that fits isn't compacted, and is asked once", async () => {
    await start(told);
    for (let n = 0; n < 3; n++) expect((await ask()).status).toBe(200);
    expect(sent()).toEqual([messages, messages, messages]);
    const paths = asked().map(({ request }) => request.url);
    expect(paths.length).toBeGreaterThan(0);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("tells it to the page's list of models, too", async () => {
    await start(told);
    const { models } = (await (await fetch(`${gateway.url}/api/models`)).json()) as ModelsAnswer;
    expect(models[0]).toMatchObject({ window: WINDOW, windowFrom: "upstream" });
  });
});

it("Ollama, which cuts off without a word what the model that it loads has no room for, is asked again once it has loaded it", async () => {
  const [loaded, made] = [4_096, 131_072];
  let isLoaded = false;
  const lengths: number[] = [];
  there = await startUpstream((request, body, response) => {
    const answer = (json: object) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    if (request.url === "/api/show") return answer({ model_info: { "qwen3.context_length": made } });
    if (request.url === "/api/ps")
      return answer({ models: isLoaded ? [{ name: MODEL, context_length: loaded }] : [] });
    if (request.method !== "POST") {
      response.writeHead(404);
      return void response.end();
    }
    isLoaded = true;
    const tokens = Math.round(body.length / 5);
    lengths.push(tokens);
    // What is older is left out, and nothing says so.
    const usage = { prompt_tokens: Math.min(tokens, loaded), completion_tokens: 1 };
    answer({ ...JSON.parse(ANSWER), usage });
  });
  gateway = await startGateway({ ...upstreamAt(`${there.url}/v1`), summarizer: "extractive" });
  const actions = [];
  for (let n = 0; n < 3; n++) actions.push((await ask()).headers.get("x-precis-action"));
  expect(lengths[0]).toBeGreaterThan(loaded);
  expect(actions.slice(1)).toEqual(["compacted", "view"]);
  for (const length of lengths.slice(1)) expect(length).toBeLessThan(loaded);
  expect(asked().filter(({ request }) => request.url === "/api/ps")).toHaveLength(2);
});

it("a server that tells nothing is asked once, and the window stays small", async () => {
  await start({});
  for (let n = 0; n < 3; n++) expect((await ask()).status).toBe(200);
  expect(asked().map(({ request }) => request.url)).toEqual([
    "/v1/models",
    "/api/v0/models",
    "/props",
    "/api/show",
  ]);
  for (const view of sent()) expect(view.length).toBeLessThan(messages.length);
});

it("a server that never answers the question still gets the request", async () => {
  await start("hangs");
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect(asked()).toHaveLength(1);
});

it("nothing is asked for a request that fits any window", async () => {
  await start(SERVERS["vLLM"]!);
  const [first] = messages;
  expect((await post(`${gateway.url}/v1/chat/completions`, { model: MODEL, messages: [first] })).status).toBe(
    200,
  );
  expect(asked()).toEqual([]);
});

it.each([
  [{ window: "16k" }, MODEL],
  [{}, "gpt-4o"],
])("nothing is asked where the window is known: %j %s", async (config, model) => {
  await start(SERVERS["vLLM"]!, config);
  expect((await ask(model)).status).toBe(200);
  expect(asked()).toEqual([]);
});

it("nonsense that a server tells is no window", async () => {
  await start({ "/v1/models": { data: [{ id: MODEL, max_model_len: 7 }] } });
  expect((await ask()).status).toBe(200);
  expect(gateway.gateway.windows.of(gateway.gateway.upstreams[0], MODEL, "default").window).toBe(8_192);
});

it.each([
  ["https://api.openai.com/v1", true],
  ["https://openrouter.ai/api/v1", true],
  ["https://api.anthropic.com", true],
  ["http://127.0.0.1:8080/v1", false],
])("%s is a provider that many pay for: %s", async (baseURL, expected) => {
  await start({});
  const upstream = createUpstream({ ...gateway.gateway.upstreams[0]!.config, baseURL });
  expect(upstream.isKnownProvider).toBe(expected);
  await upstream.pool.close();
});
