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

const messages = Array.from({ length: 41 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `${n}: ${"please say more. ".repeat(50)}`,
}));

type Way = readonly [name: string, path: string, refuse: (response: ServerResponse) => void];
const ways: readonly Way[] = [
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
