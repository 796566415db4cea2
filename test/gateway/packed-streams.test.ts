import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const chunk = (content: string, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, ...more }] })}\n\n`;
const STREAM = `${chunk("good ")}${chunk("answer", { finish_reason: "stop" })}data: [DONE]\n\n`;
const CHAT = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };

/** An upstream that packs its events, whatever it is asked for. */
async function packing(encoding: string, bytes: Buffer, config: object = {}, cut = bytes.length) {
  const there = await startUpstream((_, __, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding });
    response.write(bytes.subarray(0, 20));
    setTimeout(() => (cut < bytes.length ? response.destroy() : response.end(bytes.subarray(20))), 20);
  });
  closing.push(() => there.close());
  const running = await startGateway({ ...upstreamAt(there.url), ...config });
  closing.push(() => running.close());
  return running.url;
}

describe.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
] as const)("events that an upstream packs by %s though it is asked not to", (encoding, compress) => {
  it.each([[[]], [["recall"]]])("come to a client as they were meant (tools: %j)", async (tools) => {
    const url = await packing(encoding, compress(STREAM), { tools });
    const text = await (await post(`${url}/v1/chat/completions`, CHAT)).text();
    expect(text).toContain("good ");
    expect(text).toContain("answer");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const { conversations } = await apiOf(() => url).call(routes.conversations);
    expect(conversations.map(({ messages }) => messages)).toEqual([2]);
  });
});

it("are read by a chat of the page", async () => {
  const url = await packing("gzip", gzipSync(STREAM));
  const { call, events } = apiOf(() => url);
  const { id } = await call(routes.createConversation, { body: { model: "m" } });
  const told = await events(routes.chat, { params: { id }, body: { text: "hi" } });
  expect(told.at(-1)).toMatchObject({ type: "done" });
});

it.each([
  ["break off", gzipSync(STREAM), 20],
  ["aren't packed at all", Buffer.from(STREAM), undefined],
])("that %s end with an error for the client", async (_, bytes, cut) => {
  const url = await packing("gzip", bytes, {}, cut);
  const text = await (await post(`${url}/v1/chat/completions`, CHAT)).text();
  expect(text).toContain("broke off its answer");
});
