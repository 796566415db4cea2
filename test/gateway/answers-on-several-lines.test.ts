import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ITEM = {
  type: "message",
  id: "m",
  role: "assistant",
  content: [{ type: "output_text", text: "Yes." }],
};
const ANSWERS: Readonly<Record<string, readonly object[]>> = {
  "/v1/chat/completions": [{ id: "c", choices: [{ index: 0, delta: { content: "Yes." } }] }],
  "/v1/responses": [{ type: "response.completed", response: { id: "r", output: [ITEM] } }],
  "/v1/messages": [
    { type: "message_start", message: { id: "m", usage: { input_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "Yes." } },
    { type: "message_stop" },
  ],
  "/v1beta/models/m:streamGenerateContent?alt=sse": [
    { candidates: [{ content: { role: "model", parts: [{ text: "Yes." }] }, finishReason: "STOP" }] },
  ],
};
const MESSAGES = [{ role: "user", content: "Is it?" }];
const BODY = { model: "m", stream: true, max_tokens: 9 };
const bodyOf = (path: string): object => {
  if (path === "/v1/responses") return { model: "m", stream: true, input: "Is it?" };
  if (path.includes("Content")) return { contents: [{ role: "user", parts: [{ text: "Is it?" }] }] };
  return { ...BODY, messages: MESSAGES };
};

it.each(Object.keys(ANSWERS).flatMap((path) => [[path, []] as const, [path, ["recall"]] as const]))(
  "a stream of %s whose events stand on several lines is stored (tools: %j)",
  async (path, tools) => {
    const there = await startUpstream((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of ANSWERS[path]!)
        response.write(`${JSON.stringify(event, null, 2).replaceAll(/^/gm, "data: ")}\n\n`);
      response.end();
    });
    closing.push(() => there.close());
    const running = await startGateway({ ...upstreamAt(there.url), tools });
    closing.push(() => running.close());
    const answer = await (await post(running.url + path, bodyOf(path))).text();
    expect(answer).toContain("Yes.");
    const { conversations } = (await (await fetch(`${running.url}/api/conversations`)).json()) as {
      conversations: { messages: number }[];
    };
    expect(conversations.map(({ messages }) => messages)).toEqual([2]);
  },
);
