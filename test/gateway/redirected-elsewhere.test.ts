import { afterEach, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

let elsewhere: OwnUpstream;
let there: OwnUpstream;
let running: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  elsewhere = await startUpstream((_, __, response) => response.end("{}"));
  there = await startUpstream((_, __, response) => {
    response.writeHead(308, { location: `${elsewhere.url}/v1/there?key=sk-very-secret` });
    response.end("moved");
  });
  running = await startGateway(upstreamAt(there.url));
});
afterEach(async () => {
  await running.close();
  await there.close();
  await elsewhere.close();
});

const MESSAGES = [{ role: "user", content: "hi" }];

it.each([
  ["/v1/chat/completions", { model: "m", messages: MESSAGES }],
  ["/v1/chat/completions", { model: "m", messages: MESSAGES, stream: true }],
  ["/v1/responses", { model: "m", input: "hi" }],
  ["/v1/messages", { model: "m", max_tokens: 9, messages: MESSAGES }],
  ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "hi" }] }] }],
  ["/ollama/api/chat", { model: "m", messages: MESSAGES }],
])("%s is told where its upstream would be asked, and nobody is sent there", async (path, body) => {
  const response = await post(running.url + path, body);
  const text = await response.text();
  expect(response.status).toBe(502);
  expect(text).toContain(`${elsewhere.url}/v1/there`);
  expect(text).toContain("Set its baseURL");
  expect(text).not.toContain("sk-very-secret");
  expect(elsewhere.seen).toEqual([]);
});

it("so is a chat of the page", async () => {
  const api = apiOf(() => running.url);
  const { id } = await api.call(routes.createConversation, { body: { model: "m" } });
  const events = await api.events(routes.chat, { params: { id }, body: { text: "hi" } });
  expect(events.at(-1)).toMatchObject({
    type: "failed",
    error: { message: expect.stringContaining("Set its baseURL") as string },
  });
});
