import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A gateway whose upstream answers every request so. */
async function gatewayTo(
  body: string | Buffer,
  { status = 200, config = {}, ...headers }: { status?: number; config?: object; [name: string]: unknown },
): Promise<string> {
  const there = await startUpstream((_, __, response) => {
    response.writeHead(status, headers as Record<string, string>);
    response.end(body);
  });
  closing.push(() => there.close());
  const running = await startGateway({ ...upstreamAt(there.url), ...config });
  closing.push(() => running.close());
  return running.url;
}

const ask = (url: string, stream: boolean) =>
  post(`${url}/ollama/api/chat`, { model: "m", stream, messages: [{ role: "user", content: "hi" }] });
const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };
const chunk = (content: string, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, ...more }] })}\n\n`;
const STREAM = `${chunk("good ")}${chunk("answer", { finish_reason: "stop" })}data: [DONE]\n\n`;
const PRETTY = STREAM.replaceAll(/^data: (\{.*)$/gm, (_, json: string) =>
  JSON.stringify(JSON.parse(json), null, 1).replaceAll(/^/gm, "data: "),
);
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "good answer" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2 },
});

describe.each([false, true])("streamed: %s", (stream) => {
  it.each([
    ["a page", "<h1>hi</h1>", { "content-type": "text/html" }, "isn't a chat completion"],
    ["half of an answer", ANSWER.slice(0, 40), JSON_TYPE, "isn't a chat completion"],
    ["nothing", "", JSON_TYPE, "isn't a chat completion"],
    ["null", "null", JSON_TYPE, "isn't a chat completion"],
    ["an error with status 200", '{"error":{"message":"boom"}}', JSON_TYPE, "boom"],
    ["an error as a text", '{"error":"boom"}', JSON_TYPE, "boom"],
    ["no content at all", "", { status: 204 }, "isn't a chat completion"],
  ])("%s is told as an error, not as an empty answer", async (_, body, head, words) => {
    const response = await ask(await gatewayTo(body, head), stream);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ error: expect.stringContaining(words) as string });
  });

  it.each([
    ["events", STREAM, EVENTS],
    ["events without their type", STREAM, { "content-type": "text/plain" }],
    ["events on several lines", PRETTY, EVENTS],
    ["events of which the last has no end", STREAM.replace(/data: .DONE.\s*$/, "").trimEnd(), EVENTS],
    ["packed events", gzipSync(STREAM), { ...EVENTS, "content-encoding": "gzip" }],
    ["one piece", ANSWER, JSON_TYPE],
    ["one packed piece", gzipSync(ANSWER), { ...JSON_TYPE, "content-encoding": "gzip" }],
  ])("an answer in %s is told whole, whatever was asked for", async (_, body, head) => {
    const response = await ask(await gatewayTo(body, head), stream);
    expect(response.status).toBe(200);
    const lines = (await response.text()).trim().split("\n");
    const told = lines.map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
    expect(told.map(({ message }) => message.content).join("")).toBe("good answer");
    expect(told.at(-1)).toMatchObject({ done: true, done_reason: "stop" });
  });
});

it("arguments that a server sends as an object aren't lost", async () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: { x: 1 } } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const url = await gatewayTo(JSON.stringify({ choices: [{ index: 0, message }] }), JSON_TYPE);
  expect(await (await ask(url, false)).json()).toMatchObject({
    message: { tool_calls: [{ function: { name: "f", arguments: { x: 1 } } }] },
  });
});

describe("models", () => {
  it("are listed whatever times they have", async () => {
    const data = [{ id: "a", created: 1e300 }, { id: "b", created: -1e20 }, { id: "c" }];
    const url = await gatewayTo(JSON.stringify({ data }), JSON_TYPE);
    const { models } = (await (await fetch(`${url}/ollama/api/tags`)).json()) as {
      models: { name: string }[];
    };
    expect(models.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("of an upstream that refuses are no empty list", async () => {
    const url = await gatewayTo('{"error":{"message":"no"}}', { status: 401, ...JSON_TYPE });
    const response = await fetch(`${url}/ollama/api/tags`);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ error: expect.stringContaining("401") as string });
  });
});

describe("client keys", () => {
  const config = {
    auth: {
      mode: "keys",
      keys: [{ name: "a", key: "key-of-a-0123456789", tenant: "a", limits: { requestsPerMinute: 2 } }],
    },
  };

  it("are asked for before a body is read", async () => {
    const url = await gatewayTo(ANSWER, { ...JSON_TYPE, config });
    const endless = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        controller.enqueue(new TextEncoder().encode(" "));
      },
    });
    const init = { method: "POST", body: endless, duplex: "half" } as RequestInit;
    expect((await fetch(`${url}/ollama/api/chat`, init)).status).toBe(401);
  });

  it("limit how often models are listed and shown, too", async () => {
    const url = await gatewayTo(JSON.stringify({ data: [] }), { ...JSON_TYPE, config });
    const headers = { authorization: "Bearer key-of-a-0123456789" };
    const tags = () => fetch(`${url}/ollama/api/tags`, { headers });
    expect([(await tags()).status, (await tags()).status]).toEqual([200, 200]);
    const refused = await tags();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post(`${url}/ollama/api/show`, { model: "m" }, headers)).status).toBe(429);
  });
});
