/** A summary by continuation takes over the client's prompt, and nothing that shapes the client's answer. */
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const ANSWER = "Noted.";
const WINDOW = 32_000;
let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

const isContinuation = ({ lastUser }: FakeRequest) =>
  lastUser.includes("This message comes from the program");

beforeEach(async () => {
  const reply = summarizingReply({ when: isContinuation, otherwise: ANSWER });
  provider = await startFakeProvider({ window: WINDOW, reply });
  gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, startAt: 0.4 });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

/** Enough for a summary to be begun, and not so much that a view is needed at once. */
const LONG = 47;
/** What the provider has in its cache: the request before. */
const FIRST = 45;
const said = Array.from({ length: LONG }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: n === FIRST ? ANSWER : `Part ${n}: ${`item ${n} of the list is noted and kept. `.repeat(29)}`,
}));
const schema = { type: "object", properties: {}, additionalProperties: false };

const CASES = {
  chat: {
    path: "/v1/chat/completions",
    prompt: {
      model: "gpt-4o",
      messages: said,
      tools: [{ type: "function", function: { name: "read", parameters: schema } }],
      temperature: 0.3,
      user: "ada",
      prompt_cache_key: "k",
      parallel_tool_calls: false,
    },
    shaping: {
      stop: ["\n"],
      n: 2,
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
      tool_choice: "required",
      store: true,
      metadata: { of: "ada" },
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { "11": -100 },
      presence_penalty: 1,
      frequency_penalty: 1,
      prediction: { type: "content", content: "Noted." },
      stream: true,
      stream_options: { include_usage: true },
    },
    // The client's own temperature isn't the summary's, which the profile sets.
    own: { stream: false, max_tokens: expect.any(Number), temperature: 0 },
  },
  responses: {
    path: "/v1/responses",
    prompt: {
      model: "gpt-4o",
      input: said,
      instructions: "Be brief.",
      temperature: 0.9,
      tools: [{ type: "function", name: "read", parameters: schema, strict: false }],
      prompt_cache_key: "k",
      text: { verbosity: "low" },
    },
    shaping: {
      text: { verbosity: "low", format: { type: "json_schema", name: "x", schema } },
      tool_choice: { type: "function", name: "read" },
      store: true,
      background: false,
      metadata: { of: "ada" },
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
      truncation: "auto",
    },
    own: { stream: false, store: false, max_output_tokens: expect.any(Number), temperature: 0 },
  },
  messages: {
    path: "/v1/messages",
    prompt: {
      model: "claude-sonnet-4-5",
      system: "Be brief.",
      messages: said,
      tools: [{ name: "read", input_schema: schema }],
      metadata: { user_id: "ada" },
      temperature: 0.9,
    },
    shaping: {
      max_tokens: 300,
      stop_sequences: ["\n"],
      output_config: { format: { type: "json_schema", schema } },
      tool_choice: { type: "any" },
    },
    own: { stream: false, max_tokens: expect.any(Number), temperature: 0 },
  },
};

it.each(Object.entries(CASES))("%s", async (_, { path, prompt, shaping, own }) => {
  const list = "input" in prompt ? "input" : "messages";
  for (const messages of [said.slice(0, FIRST), said]) {
    const response = await post(`${gateway.url}${path}`, { ...prompt, ...shaping, [list]: messages });
    expect(response.status, await response.text()).toBe(200);
  }
  const asked = () => provider.requests.find(isContinuation);
  await expect.poll(asked).toBeDefined();
  const { body, error } = asked()!;
  expect(error).toBeUndefined();
  const { messages, input, ...fields } = body;
  expect((messages ?? input) as unknown[]).toEqual(expect.arrayContaining(said.slice(0, FIRST - 1)));
  const { messages: __, input: ___, ...kept } = prompt as Record<string, unknown>;
  expect(fields).toEqual({ ...kept, ...own });
});

it("a summariser on a server whose APIs nobody named is asked in the chat API, whatever the client speaks", async () => {
  const small = await startUpstream((request, _body, response) => {
    if (request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}");
    const message = { role: "assistant", content: "The list is noted item by item, and nothing is open." };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage: {} }));
  });
  const other = await startGateway({
    upstreams: [
      { name: "main", baseURL: provider.url },
      { name: "small", baseURL: small.url, models: ["small-model"], windows: { "small-model": 64_000 } },
    ],
    window: WINDOW,
    startAt: 0.4,
    summarizer: { model: "small-model", upstream: "small" },
  });
  try {
    const { path, prompt } = CASES.messages;
    const response = await post(`${other.url}${path}`, { ...prompt, max_tokens: 300 });
    expect(response.headers.get("x-precis-summarizer")).toBe("small-model");
    expect(response.status, await response.text()).toBe(200);
    const asked = () =>
      small.seen.filter(({ request }) => request.url?.startsWith("/v1/") && request.method === "POST");
    await expect.poll(() => asked().length).toBeGreaterThan(0);
    expect(asked()[0]!.request.url).toBe("/v1/chat/completions");
  } finally {
    await other.close();
    await small.close();
  }
});

it("an answer says whose key pays for summaries", async () => {
  const { path, prompt } = CASES.chat;
  const paid = await post(`${gateway.url}${path}`, prompt, { authorization: "Bearer sk-of-the-client" });
  expect(paid.headers.get("x-precis-summarizer")).toBe("gpt-4o; key=client");
  const free = await post(`${gateway.url}${path}`, prompt, { "x-precis-summarizer": "extractive" });
  expect(free.headers.get("x-precis-summarizer")).toBe("none");
});

/** A gateway whose summaries are written by `small-model` at another server, as that answers. */
async function withSmall(answer: Parameters<typeof startUpstream>[0], more: object = {}) {
  const small = await startUpstream(answer);
  const other = await startGateway({
    upstreams: [
      { name: "main", baseURL: provider.url },
      {
        name: "small",
        baseURL: small.url,
        models: ["small-model"],
        windows: { "small-model": 64_000 },
        ...more,
      },
    ],
    window: WINDOW,
    startAt: 0.4,
    summarizer: { model: "small-model", upstream: "small" },
  });
  const close = () => Promise.all([other.close(), small.close()]);
  return { small, ask: (body: object) => post(`${other.url}${CASES.chat.path}`, body), close };
}

it("a model that refuses a temperature is asked with one once, not for each summary", async () => {
  const message = { role: "assistant", content: "The list is noted item by item, and nothing is open." };
  const answers: number[] = [];
  const answer: Parameters<typeof startUpstream>[0] = (request, body, response) => {
    if (request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}");
    const refused = "temperature" in (JSON.parse(body.toString()) as object);
    answers.push(refused ? 400 : 200);
    const said = refused
      ? { error: { message: "Unsupported parameter: 'temperature' is not supported with this model." } }
      : { choices: [{ message, finish_reason: "stop" }], usage: {} };
    response.writeHead(refused ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(said));
  };
  const { small, ask, close } = await withSmall(answer, { headers: { "User-Agent": "ours" } });
  try {
    for (const name of ["Ada", "Grace"]) {
      const before = answers.length;
      const messages = [{ role: "user", content: `I am ${name}.` }, said[1], ...said];
      const response = await ask({ model: "gpt-4o", messages });
      expect(response.status, await response.text()).toBe(200);
      await expect.poll(() => answers.slice(before)).toContain(200);
    }
    expect(answers.filter((status) => status === 400)).toHaveLength(1);
    // Headers of the config are sent with summaries, too.
    expect(small.seen.at(-1)!.request.headers["user-agent"]).toBe("ours");
  } finally {
    await close();
  }
});

it("an upstream that stays silent is given up after its own timeoutMs, for summaries too", async () => {
  let givenUp = () => {};
  const isGivenUp = new Promise<void>((resolve) => {
    givenUp = resolve;
  });
  const { ask, close } = await withSmall(
    (request, _body, response) => {
      if (request.url !== "/v1/chat/completions") response.writeHead(404).end("{}");
      else response.once("close", givenUp);
    },
    { timeoutMs: 300 },
  );
  try {
    await ask({ model: "gpt-4o", messages: said });
    await isGivenUp;
  } finally {
    await close();
  }
}, 60_000);
