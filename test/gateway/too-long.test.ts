import type { ServerResponse } from "node:http";
import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

/** What the upstream really has, and what the config says. */
const REAL_WINDOW = 3_000;
const BYTES_PER_TOKEN = 4;

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await there.close();
});

const text =
  "This model's maximum context length is 3000 tokens. However, your messages resulted in 9000 tokens.";
const error = { message: text, type: "invalid_request_error", code: "context_length_exceeded" };
const event = (data: object) =>
  `event: ${(data as { type?: string }).type}\ndata: ${JSON.stringify(data)}\n\n`;
const stream = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" });

/** LiteLLM puts the provider's words into a text of its own, and the status into a text, too. */
const litellm = {
  error: {
    message: `litellm.BadRequestError: litellm.ContextWindowExceededError: ContextWindowExceededError: OpenAIException - ${text}. Received Model Group=m\nAvailable Model Group Fallbacks=None`,
    type: "None",
    param: "None",
    code: "400",
  },
};
const opening = {
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
};

const messages = Array.from({ length: 41 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `${n}: ${"please say more. ".repeat(50)}`,
}));

/** What servers of one's own answer before a stream begins. */
const servers: Readonly<Record<string, readonly [status: number, refusal: object]>> = {
  "llama.cpp": [
    400,
    {
      error: {
        code: 400,
        message:
          "the request exceeds the available context size. try increasing the context size or enable context shift",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9_000,
        n_ctx: REAL_WINDOW,
      },
    },
  ],
  vLLM: [
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 3000 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  ],
  Ollama: [400, { error: "The prompt is too long: 9000, model maximum context length: 3000" }],
};

type Way = readonly [name: string, path: string, refuse: (response: ServerResponse) => void];
const ways: readonly Way[] = [
  ...Object.entries(servers).map(
    ([name, [status, refusal]]): Way => [
      `as ${name} does`,
      "/v1/chat/completions",
      (response) =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(refusal)),
    ],
  ),
  [
    "behind the opening events of a stream",
    "/v1/responses",
    (response) => {
      stream(response).write(event({ type: "response.created", response: { id: "r", error: null } }));
      setTimeout(() => response.write(event({ type: "response.in_progress", response: { id: "r" } })), 10);
      setTimeout(() => response.end(event({ type: "response.failed", response: { id: "r", error } })), 40);
    },
  ],
  [
    "as an error event of a stream",
    "/v1/responses",
    (response) => {
      stream(response).write(event({ type: "response.created", response: { id: "r" } }));
      setTimeout(() => response.end(event({ type: "error", error })), 30);
    },
  ],
  [
    "in a first piece",
    "/v1/chat/completions",
    (response) => void stream(response).end(`data: ${JSON.stringify({ error })}\n\n`),
  ],
  [
    "as Anthropic does in a stream",
    "/v1/messages",
    (response) =>
      void stream(response).end(
        event({
          type: "error",
          error: { type: "invalid_request_error", message: "prompt is too long: 9000 tokens > 3000 maximum" },
        }),
      ),
  ],
  [
    "as LiteLLM does, without a type",
    "/v1/chat/completions",
    (response) => void stream(response).end(`data: ${JSON.stringify(litellm)}\n\n`),
  ],
  [
    "as LiteLLM does behind a first piece without words",
    "/v1/chat/completions",
    (response) => {
      stream(response).write(`data: ${JSON.stringify(opening)}\n\n`);
      setTimeout(() => response.end(`data: ${JSON.stringify(litellm)}\n\ndata: [DONE]\n\n`), 20);
    },
  ],
  [
    "as LiteLLM does where it speaks for Anthropic",
    "/v1/messages",
    (response) => {
      const message = { id: "m", type: "message", role: "assistant", content: [], usage: {} };
      stream(response).write(event({ type: "message_start", message }));
      setTimeout(() => response.end(`data: ${JSON.stringify(litellm)}\n\n`), 20);
    },
  ],
  [
    "as LiteLLM does where it speaks the Responses API",
    "/v1/responses",
    (response) => {
      stream(response).write(event({ type: "response.created", response: { id: "r" } }));
      setTimeout(() => response.end(`data: ${JSON.stringify(litellm)}\n\n`), 20);
    },
  ],
  [
    "in the body of an answer that says 200",
    "/v1/chat/completions",
    (response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ error })),
  ],
];

it.each(ways)("an upstream may say it %s: it is asked again with less", async (_, path, refuse) => {
  there = await startUpstream((__, body, response) => {
    if (body.length > REAL_WINDOW * BYTES_PER_TOKEN) refuse(response);
    else
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"id":"fine","output":[],"content":[]}');
  });
  // The config is wrong by far: nothing here is close to its window.
  gateway = await startGateway({ ...upstreamAt(there.url), window: 100_000, summarizer: "extractive" });
  const list = path === "/v1/responses" ? "input" : "messages";
  const response = await post(gateway.url + path, { model: "m", stream: true, [list]: messages });
  expect(await response.text()).toContain('"id":"fine"');
  expect(there.seen).toHaveLength(2);
  expect(response.headers.get("x-precis-action")).toBe("compacted");
});

it("an upstream may say it with 413 and no numbers: it is asked again with much less", async () => {
  there = await startUpstream((_, __, response) =>
    response.writeHead(413, { "content-type": "text/html" }).end("<h1>Too large</h1>"),
  );
  gateway = await startGateway({ ...upstreamAt(there.url), window: 100_000, summarizer: "extractive" });
  const response = await post(`${gateway.url}/v1/messages`, { model: "m", messages });
  expect(response.status).toBe(413);
  expect(await response.text()).toBe("<h1>Too large</h1>");
  const sizes = there.seen.map(({ body }) => body.length);
  expect(sizes[1]).toBeLessThan(0.7 * sizes[0]!);
  // It isn't asked for ever.
  expect(sizes.length).toBeLessThanOrEqual(5);
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
});

it.each([
  ["Groq", "Please reduce the length of the messages or completion."],
  ["Ollama", "input length exceeds the context length"],
  [
    "Responses",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  ],
])(
  "%s names no number: the request gets smaller until it fits, and the next one fits at once",
  async (_, words) => {
    const real = 8_000;
    there = await startUpstream((_request, body, response) => {
      const isTooLong = body.length > real;
      response.writeHead(isTooLong ? 400 : 200, { "content-type": "application/json" });
      const message = { role: "assistant", content: "OK." };
      response.end(
        JSON.stringify(
          isTooLong
            ? { error: { message: words } }
            : { choices: [{ index: 0, message, finish_reason: "stop" }] },
        ),
      );
    });
    gateway = await startGateway({ ...upstreamAt(there.url), window: 100_000, summarizer: "extractive" });
    const long = Array.from({ length: 81 }, (__, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `${n}: ${"please say more. ".repeat(60)}`,
    }));
    const ask = (messages: readonly object[]) =>
      post(`${gateway.url}/v1/chat/completions`, { model: "m", messages });
    expect((await ask(long)).status).toBe(200);
    const tries = there.seen.length;
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThanOrEqual(5);
    const next = [...long, { role: "assistant", content: "OK." }, { role: "user", content: "go on" }];
    expect((await ask(next)).status).toBe(200);
    expect(there.seen.length).toBe(tries + 1);
  },
);

/** An upstream that refuses requests with a sign in them, and answers all others. */
async function startRefusing(
  sign: string,
  status: number,
  refusal: object,
  now?: () => number,
): Promise<void> {
  there = await startUpstream((_, body, response) => {
    const isRefused = body.includes(sign);
    response.writeHead(isRefused ? status : 200, { "content-type": "application/json" });
    response.end(isRefused ? JSON.stringify(refusal) : '{"id":"fine","output":[],"content":[],"choices":[]}');
  });
  gateway = await startGateway({ ...upstreamAt(there.url), summarizer: "extractive" }, now && { now });
}

const NO_NUMBER = {
  error: {
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    code: "context_length_exceeded",
  },
};
const IN_BYTES = {
  type: "error",
  error: { type: "request_too_large", message: "Request exceeds the maximum allowed number of bytes." },
};
const PICTURE = `TOO-LARGE${Buffer.alloc(30_000, 7).toString("base64")}`;
const LONG_TEXT = "several words of a talk ".repeat(8_000);

const refusedForOtherThings: readonly (readonly [string, string, string, number, object, object])[] = [
  [
    "a file that the provider finds too long",
    "/v1/responses",
    "gpt-5",
    400,
    NO_NUMBER,
    {
      input: [
        {
          role: "user",
          content: [
            { type: "input_file", file_id: "TOO-LARGE" },
            { type: "input_text", text: LONG_TEXT },
          ],
        },
      ],
    },
  ],
  [
    "a picture that has too many bytes",
    "/v1/messages",
    "claude-sonnet-4-5",
    413,
    IN_BYTES,
    {
      max_tokens: 100,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
            { type: "text", text: LONG_TEXT },
          ],
        },
      ],
    },
  ],
  [
    "a text that has too many bytes",
    "/v1/messages",
    "claude-sonnet-4-5",
    413,
    IN_BYTES,
    { max_tokens: 100, messages: [{ role: "user", content: `TOO-LARGE ${LONG_TEXT}` }] },
  ],
  [
    "a short text",
    "/v1/responses",
    "gpt-5",
    400,
    NO_NUMBER,
    {
      input: [
        {
          role: "user",
          content: [{ type: "input_text", text: `TOO-LARGE ${"and so on ".repeat(1_500)}` }],
        },
      ],
    },
  ],
];

it.each(refusedForOtherThings)(
  "%s is refused without a number: the window of other conversations stays as it is",
  async (_, path, model, status, refusal, request) => {
    await startRefusing("TOO-LARGE", status, refusal);
    await post(gateway.url + path, { model, ...request });
    const list = path === "/v1/responses" ? "input" : "messages";
    const long = Array.from({ length: 201 }, (__, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `${n}: ${"please say more. ".repeat(100)}`,
    }));
    const other = await post(gateway.url + path, { model, max_tokens: 100, [list]: long });
    expect([other.status, other.headers.get("x-precis-action")]).toEqual([200, "pass"]);
  },
);

it("a window that was learned without a number is tried again after a while", async () => {
  let time = Date.now();
  await startRefusing("TOO-LARGE", 400, NO_NUMBER, () => time);
  const ask = async (first: string) => {
    const long = Array.from({ length: 201 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `${n === 0 ? first : n}: ${"please say more. ".repeat(100)}`,
    }));
    const response = await post(`${gateway.url}/v1/responses`, { model: "gpt-5", input: long });
    return response.headers.get("x-precis-action");
  };
  expect(await ask("before")).toBe("pass");
  await ask("TOO-LARGE");
  expect(await ask("soon after")).toBe("compacted");
  time += 2 * 60 * 60_000;
  expect(await ask("much later")).toBe("pass");
});

it("a conversation whose picture was refused goes on", async () => {
  await startRefusing("TOO-LARGE", 413, IN_BYTES);
  const source = { type: "base64", media_type: "image/png", data: PICTURE };
  const picture = {
    role: "user",
    content: [
      { type: "image", source },
      { type: "text", text: "What is this?" },
    ],
  };
  const ask = (messages: readonly object[]) =>
    post(`${gateway.url}/v1/messages`, { model: "claude-sonnet-4-5", max_tokens: 100, messages });
  expect((await ask([picture])).status).toBe(200);
  const answer = { role: "assistant", content: "I can't see it." };
  expect((await ask([picture, answer, { role: "user", content: LONG_TEXT }])).status).toBe(200);
  expect(there.seen.at(-1)!.body.toString()).toContain(LONG_TEXT);
});

it("a smaller request has another idempotency key: a provider would answer the same key with the refusal again", async () => {
  const answers = new Map<string, readonly [number, string]>();
  there = await startUpstream((request, body, response) => {
    if (request.method === "GET") return void response.writeHead(404).end();
    const key = String(request.headers["idempotency-key"]);
    const isLong = body.length > REAL_WINDOW * BYTES_PER_TOKEN;
    const choices = [{ index: 0, message: { role: "assistant", content: "Fits." }, finish_reason: "stop" }];
    const [status, text] = answers.get(key) ?? [
      isLong ? 400 : 200,
      JSON.stringify(isLong ? { error } : { choices }),
    ];
    answers.set(key, [status, text]);
    response.writeHead(status, { "content-type": "application/json" }).end(text);
  });
  gateway = await startGateway({ ...upstreamAt(there.url), window: 128_000, summarizer: "extractive" });
  const ask = () =>
    post(`${gateway.url}/v1/chat/completions`, { model: "m", messages }, { "idempotency-key": "mine-1" });
  const response = await ask();
  expect(response.status, await response.text()).toBe(200);
  expect(answers.size).toBe(2);
  // The same request leaves with the same key.
  expect((await ask()).status).toBe(200);
  expect(answers.size).toBe(2);
});
