/** A `content-encoding` has room for thousands of codings. Of an upstream's stream each of them held memory at the same time. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const EVENTS = `data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}\n\ndata: [DONE]\n\n`;
const CHAT = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "hi" }] };

/** Packed twice at most: nobody may look into what says that it was packed more often than the gateway unpacks. */
const packed = (text: string, times: number): Buffer => {
  let bytes = Buffer.from(text);
  for (let n = 0; n < Math.min(times, 2); n++) bytes = gzipSync(bytes);
  return bytes;
};
const encoding = (times: number): string => Array.from({ length: times }, () => "gzip").join(",");

async function behind(times: number) {
  const answer = packed(EVENTS, times);
  const there = await startUpstream((_, __, response) => {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      ...(times > 0 && { "content-encoding": encoding(times) }),
    });
    response.end(answer);
  });
  const gateway = await startGateway(upstreamAt(there.url));
  const close = async () => {
    await gateway.close();
    await there.close();
  };
  return { gateway, there, close };
}

it.each([
  [2, 200],
  [2_000, 415],
])("a request that is packed %d times is answered with %d", async (times, status) => {
  const { gateway, there, close } = await behind(0);
  const headers = { "content-encoding": encoding(times) };
  const response = await post(
    `${gateway.url}/v1/chat/completions`,
    packed(JSON.stringify(CHAT), times),
    headers,
  );
  expect(response.status).toBe(status);
  expect(there.seen).toHaveLength(status === 200 ? 1 : 0);
  await response.arrayBuffer();
  await close();
});

it("an upstream's stream that is packed 2,000 times isn't unpacked", async () => {
  const { gateway, close } = await behind(2_000);
  // A newer `fetch` refuses such an answer itself.
  const response = await post(`${gateway.url}/v1/chat/completions`, CHAT).catch(
    (error: unknown) => error as Error,
  );
  if (response instanceof Response) {
    expect(response.headers.get("content-encoding")).toBe(encoding(2_000));
    await response.body?.cancel().catch(() => {});
  } else expect(String(response.cause)).toMatch(/too many content-encodings/i);
  await close();
});
