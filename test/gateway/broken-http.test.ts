import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "./gateway-process.ts";

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({ limits: { requestMs: 400, drainMs: 100 } });
});
afterAll(() => gateway.close());

async function send(text: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  let seen = "";
  socket.on("data", (piece: Buffer) => {
    seen += piece.toString();
  });
  socket.write(text);
  await once(socket, "close");
  return seen;
}

const POST = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n";

it.each([
  ["two lengths", `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\nx`, 400, "bad-request"],
  [
    "a length and pieces",
    `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nX`,
    400,
    "bad-request",
  ],
  ["a line break in a header", `${POST}x-a: b\nx-c\r\n\r\n`, 400, "bad-request"],
  ["a method that isn't one", "FOO / HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "bad-request"],
  ["headers without end", `${POST}x-a: ${"a".repeat(20_000)}\r\n\r\n`, 431, "headers-too-large"],
])("answers %s in words", async (_, text, status, code) => {
  const answer = await send(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  expect(JSON.parse(body)).toMatchObject({ error: { code, message: expect.stringMatching(/^precis: /) } });
  expect(answer).toContain(`content-length: ${Buffer.byteLength(body)}`);
});

it.each([
  ["headers", POST],
  ["a body", `${POST}content-length: 100\r\n\r\n{`],
])("answers %s that come too slowly in words, and goes on", async (_, text) => {
  const answer = await send(text);
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  expect(answer).toContain('"code":"too-slow"');
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
});

it("reads no more of a body without a length than the limit, under /api too", async () => {
  const running = await startGateway({ limits: { bodyBytes: 100_000, drainMs: 100 } });
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 10_000;
      controller.enqueue(new TextEncoder().encode(" ".repeat(10_000)));
    },
  });
  const response = await fetch(`${running.url}/api/conversations`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: endless,
    duplex: "half",
  } as RequestInit);
  expect(response.status).toBe(413);
  expect(await response.json()).toMatchObject({ error: { code: "too-large" } });
  expect(sent).toBeLessThan(50_000_000);
  await running.close();
});
