import { afterEach, beforeEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const WINDOW = 4_000;

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  there = await startUpstream((_, __, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"id":"resp_1","output":[],"usage":{"input_tokens":3,"output_tokens":1}}');
  });
  gateway = await startGateway({ ...upstreamAt(there.url), window: WINDOW, observe: true });
});
afterEach(async () => {
  await gateway.close();
  await there.close();
});

const long = Array.from({ length: 41 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `${n}: ${"please say more. ".repeat(100)}`,
}));
const hugeTool = { name: "t", input_schema: { type: "object", description: "word ".repeat(2 * WINDOW) } };
const hugeFunction = { type: "function", function: { name: "t", description: "word ".repeat(2 * WINDOW) } };

it.each([
  ["a long chat", "/v1/chat/completions", { model: "m", max_tokens: 9_000, messages: long }],
  ["tools that alone exceed the window", "/v1/messages", { model: "m", messages: long, tools: [hugeTool] }],
  [
    "the same for Chat Completions",
    "/v1/chat/completions",
    { model: "m", messages: long, tools: [hugeFunction] },
  ],
  [
    "an answer that is only named",
    "/v1/responses",
    { model: "m", input: "go on", previous_response_id: "resp_1" },
  ],
  [
    "a conversation that is only named",
    "/v1/responses",
    { model: "m", input: "go on", conversation: "conv_1" },
  ],
  ["a compaction", "/v1/responses/compact", { model: "m", input: "all of it" }],
  [
    "a trigger",
    "/v1/responses",
    { model: "m", input: [{ role: "user", content: "a" }, { type: "compaction_trigger" }] },
  ],
  [
    "edits",
    "/v1/messages",
    { model: "m", messages: long, context_management: { edits: [{ type: "compact_20260112" }] } },
  ],
  ["a count", "/v1/messages/count_tokens", { model: "m", messages: long }],
])("sends on and answers %s byte for byte", async (_, path, body) => {
  // A first answer, which the store then has.
  await post(`${gateway.url}/v1/responses`, { model: "m", input: "begin" });
  const text = JSON.stringify(body, undefined, 1);
  const response = await post(gateway.url + path, text);
  expect(await response.text()).toContain('"id":"resp_1","output":[]');
  expect(there.seen).toHaveLength(2);
  expect(there.seen[1]!.body.toString()).toBe(text);
  expect(there.seen[1]!.request.url).toBe(path);
});
