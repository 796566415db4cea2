import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const CHAT = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n`;
const GEMINI = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]}}]}\n\n`;
const MESSAGE = { role: "user", content: "hi" };

it.each([
  ["/v1/chat/completions", { model: "m", stream: true, messages: [MESSAGE] }, CHAT, "data: [DONE]\n\n"],
  [
    "/v1/responses",
    { model: "m", stream: true, input: "hi" },
    "",
    `data: {"type":"response.completed","response":{"id":"r","output":[]}}\n\n`,
  ],
  [
    "/v1/messages",
    { model: "m", max_tokens: 9, stream: true, messages: [MESSAGE] },
    "",
    `event: message_stop\ndata: {"type":"message_stop"}\n\n`,
  ],
  [
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    GEMINI,
    "",
  ],
])(
  "a stream of %s that is shorter than its head said ends for the client, with all that came",
  async (path, body, start, end) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        const text = start + end;
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${text.length + 50}\r\n\r\n${text}`,
        );
        setTimeout(() => socket.end(), 20);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const running = await startGateway(upstreamAt(`http://127.0.0.1:${port}`));
    closing.push(() => running.close());
    const response = await post(running.url + path, body);
    const text = await response.text();
    expect(text.startsWith(start + end)).toBe(true);
    // Where nothing says that the answer was whole, its client is told that it broke off.
    if (end === "") expect(text).toContain("broke off its answer");
  },
);
