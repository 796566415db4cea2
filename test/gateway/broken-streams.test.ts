/** A stream that broke off looked like a lost connection, or like an answer that is whole. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await there.close();
});

const message = {
  id: "m",
  type: "message",
  role: "assistant",
  content: [],
  model: "m",
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const BEGUN: Readonly<Record<string, string>> = {
  "/v1/chat/completions":
    'data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"half"},"finish_reason":null}]}\n\n',
  "/v1/responses":
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","output":[]}}\n\n',
  "/v1/messages": `event: message_start\ndata: ${JSON.stringify({ type: "message_start", message })}\n\n`,
};

async function start(lineEnd = "\n"): Promise<void> {
  there = await startUpstream((request, _, response) => {
    if (request.method === "GET") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(BEGUN[request.url!]!.replaceAll("\n", lineEnd));
    setTimeout(() => response.destroy(), 30);
  });
  gateway = await startGateway(upstreamAt(there.url));
}

const body = (path: string) => ({
  model: "m",
  stream: true,
  ...(path === "/v1/responses"
    ? { input: "Hi" }
    : { max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }),
});

it.each(Object.keys(BEGUN).flatMap((path) => ["\n", "\r\n", "\r"].map((end) => [path, end] as const)))(
  "a stream of %s that breaks off ends with an error of its own kind, in lines that end with %j as before",
  async (path, end) => {
    await start(end);
    const response = await post(gateway.url + path, body(path), { "anthropic-version": "2023-06-01" });
    const text = await response.text();
    expect(text.startsWith(BEGUN[path]!.replaceAll("\n", end))).toBe(true);
    expect(text.match(/\r\n|\r|\n/g)).toSatisfy((ends: string[]) => ends.every((one) => one === end));
    expect(text.endsWith(end + end)).toBe(true);
    expect(text).toContain("broke off its answer");
    const last = JSON.parse(text.trim().split("data: ").at(-1)!) as {
      type?: string;
      error?: { message: string };
    };
    if (path === "/v1/chat/completions") expect(last.error?.message).toContain("broke off");
    else expect(last.type).toBe("error");
  },
);

it("the official clients see it as an error", async () => {
  await start();
  const openai = new OpenAI({ apiKey: "k", baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: "k", baseURL: gateway.url, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Hi" }];
  await expect(openai.chat.completions.stream({ model: "m", messages }).finalContent()).rejects.toThrow(
    "broke off",
  );
  await expect(
    anthropic.messages.stream({ model: "m", max_tokens: 10, messages }).finalText(),
  ).rejects.toThrow("broke off");
  const kinds: string[] = [];
  for await (const event of await openai.responses.create({ model: "m", input: "Hi", stream: true }))
    kinds.push(event.type);
  expect(kinds).toEqual(["response.created", "error"]);
});
