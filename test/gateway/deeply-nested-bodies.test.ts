/** Some kilobytes of brackets anywhere in a request break neither it nor its conversation. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const DEPTH = 12_000;
const LISTS = "[".repeat(DEPTH) + "]".repeat(DEPTH);
const OBJECTS = `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`;
const HI = '"messages":[{"role":"user","content":"hi"}]';
const ANSWERS: Readonly<Record<string, object>> = {
  "/v1/chat/completions": {
    id: "a",
    choices: [{ index: 0, message: { role: "assistant", content: "Noted." }, finish_reason: "stop" }],
  },
  "/v1/messages": {
    id: "a",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Noted." }],
  },
  "/v1/responses": {
    id: "a",
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Noted." }] }],
  },
};

let upstream: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  upstream = await startUpstream((request, _, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(ANSWERS[request.url ?? ""] ?? { input_tokens: 1 }));
  });
  gateway = await startGateway({ ...upstreamAt(upstream.url), window: "1m", redact: true });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const call = (args: string) =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${args}}}]}`;

const V1: readonly (readonly [string, string, (deep: string) => string])[] = [
  ["content", "/v1/chat/completions", (x) => `{"model":"m","messages":[{"role":"user","content":${x}}]}`],
  [
    "a field of a part",
    "/v1/chat/completions",
    (x) => `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi","x":${x}}]}]}`,
  ],
  [
    "a field of a message",
    "/v1/chat/completions",
    (x) => `{"model":"m","messages":[{"role":"user","content":"hi","x":${x}}]}`,
  ],
  ["tools", "/v1/chat/completions", (x) => `{"model":"m",${HI},"tools":[{"function":{"parameters":${x}}}]}`],
  ["metadata", "/v1/chat/completions", (x) => `{"model":"m",${HI},"metadata":${x}}`],
  ["the model", "/v1/chat/completions", (x) => `{"model":${x},${HI}}`],
  ["arguments", "/v1/chat/completions", (x) => `{"model":"m","messages":[${call(x)}]}`],
  [
    "arguments as text",
    "/v1/chat/completions",
    (x) => `{"model":"m","messages":[${call(JSON.stringify(` ${x}`))}]}`,
  ],
  ["a whole message", "/v1/chat/completions", (x) => `{"model":"m","messages":[${x}]}`],
  [
    "input of a call",
    "/v1/messages",
    (x) =>
      `{"model":"m","max_tokens":9,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"x":${x}}}]}]}`,
  ],
  [
    "a result",
    "/v1/messages",
    (x) =>
      `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":${x}}]}]}`,
  ],
  ["the system prompt", "/v1/messages", (x) => `{"model":"m","max_tokens":9,"system":${x},${HI}}`],
  [
    "context_management",
    "/v1/messages",
    (x) => `{"model":"m","max_tokens":9,"context_management":${x},${HI}}`,
  ],
  ["input", "/v1/responses", (x) => `{"model":"m","input":${x}}`],
  ["an item", "/v1/responses", (x) => `{"model":"m","input":[{"type":"other","x":${x}}]}`],
  [
    "an output",
    "/v1/responses",
    (x) => `{"model":"m","input":[{"type":"function_call_output","call_id":"a","output":${x}}]}`,
  ],
  ["instructions", "/v1/responses", (x) => `{"model":"m","instructions":${x},"input":"hi"}`],
  [
    "what is counted",
    "/v1/messages/count_tokens",
    (x) => `{"model":"m","messages":[{"role":"user","content":${x}}]}`,
  ],
  [
    "what is compacted",
    "/v1/responses/compact",
    (x) => `{"model":"m","input":[{"role":"user","content":${x}}]}`,
  ],
];
const API: readonly (readonly [string, string, (deep: string) => string])[] = [
  ["a title", "/api/conversations", (x) => `{"title":${x}}`],
  ["a file", "/api/import", (x) => JSON.stringify({ name: "a.json", text: x })],
  [
    "a message of a file",
    "/api/import",
    (x) => JSON.stringify({ name: "a.json", text: `[{"role":"user","content":${x}}]` }),
  ],
  [
    "a call of a file",
    "/api/import",
    (x) => JSON.stringify({ name: "a.json", text: `[{"role":"user","content":"hi"},${call(x)}]` }),
  ],
  [
    "a replayed file",
    "/api/replay",
    (x) =>
      JSON.stringify({
        file: { name: "a.json", text: `[{"role":"user","content":"hi","x":${x}}]` },
        policies: [{ name: "a", window: 1_000 }],
      }),
  ],
];
const cases = [...V1, ...API].flatMap(([what, path, body]) =>
  [LISTS, OBJECTS].map((deep) => ({
    what,
    path,
    body: body(deep),
    shape: deep === LISTS ? "lists" : "objects",
  })),
);

it.each(cases)("$path: $what ($shape)", async ({ path, body }) => {
  const before = upstream.seen.length;
  const response = await post(gateway.url + path, body, { "anthropic-version": "2023-06-01" });
  await response.text();
  expect(response.status).toBeLessThan(500);
  // What is sent on is what came, byte for byte.
  if (path in ANSWERS && response.status === 200)
    expect(upstream.seen.slice(before).map((one) => one.body.equals(Buffer.from(body)))).toEqual([true]);
});

it("a conversation with a deep result goes on and is compacted", async () => {
  const provider: FakeProvider = await startFakeProvider({ reply: "Noted." });
  const small = await startGateway({ ...upstreamAt(provider.url), window: 8_000 });
  try {
    const messages: object[] = [];
    const actions: (string | null)[] = [];
    for (let n = 0; n < 12; n++) {
      messages.push(
        { role: "user", content: `Do step ${n}. ${"Please look at it. ".repeat(20)}` },
        JSON.parse(call('"{}"').replaceAll('"a"', `"c${n}"`)) as object,
        {
          role: "tool",
          tool_call_id: `c${n}`,
          content: n === 3 ? LISTS.slice(DEPTH - 4_000, DEPTH + 4_000) : `line of ${n}\n`.repeat(100),
        },
      );
      const response = await post(`${small.url}/v1/chat/completions`, { model: "m", messages });
      expect(response.status).toBe(200);
      actions.push(response.headers.get("x-precis-action"));
      messages.push({ role: "assistant", content: "Noted." });
    }
    expect(actions).toContain("compacted");
  } finally {
    await small.close();
    await provider.close();
  }
});
