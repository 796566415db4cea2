import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";
import { totalsOf } from "./totals-of.ts";

const ASKED = { model: "m", stream: false, messages: [{ role: "user", content: "hi" }] };

async function start(answer: (response: ServerResponse) => void) {
  const there = await startUpstream((_, __, response) => answer(response));
  const gateway = await startGateway({ ...upstreamAt(there.url), limits: { answerBytes: "1kb" } });
  onTestFinished(async () => {
    await gateway.close();
    await there.close();
  });
  return gateway;
}

it.each([
  ["plain", undefined],
  ["packed", "gzip"],
])("an error that is told in Ollama's words is counted as one: %s", async (_, encoding) => {
  const body = Buffer.from(JSON.stringify({ error: { message: "out of order" } }));
  const gateway = await start((response) => {
    response.writeHead(500, {
      "content-type": "application/json",
      ...(encoding && { "content-encoding": encoding }),
    });
    response.end(encoding ? gzipSync(body) : body);
  });
  const response = await post(`${gateway.url}/ollama/api/chat`, ASKED);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: "out of order" });
  expect(await totalsOf(gateway.url)).toMatchObject({ requests: 1, errors: 1 });
});

it("an answer without an end that is too long for Ollama's words is refused, and read no further", async () => {
  const left = Promise.withResolvers<void>();
  const gateway = await start((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"choices":"${"x".repeat(4_096)}`);
    void once(response, "close").then(() => left.resolve());
  });
  const response = await post(`${gateway.url}/ollama/api/chat`, ASKED);
  expect(response.status).toBe(502);
  expect(await response.text()).toContain("limits.answerBytes");
  await left.promise;
});
