import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { startGateway } from "./gateway-process.ts";

/** Requests of one run; `--samples all` sets more. */
const RUNS = Number(process.env["PRECIS_FUZZ"] ?? byProof({ sample: 200, more: 5_000, all: 100_000 }));
/** One request with its checks, on a busy machine (milliseconds). */
const REQUEST_MS = 100;
const KEYS = { a: "key-of-tenant-a-0001", b: "key-of-tenant-b-0001" };
const SECRET = "the-secret-of-tenant-a";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  provider = await startFakeProvider({ reply: "OK.", window: 20_000 });
  gateway = await startGateway({
    upstreams: [{ name: "fake", baseURL: provider.url }],
    window: 20_000,
    summarizer: "extractive",
    tools: ["recall", "compact"],
    auth: {
      mode: "keys",
      keys: [
        { name: "a", key: KEYS.a, tenant: "a" },
        { name: "b", key: KEYS.b, tenant: "b" },
      ],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const PATHS = [
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/responses",
  "/v1/messages/count_tokens",
  "/v1/responses/input_tokens",
  "/v1/responses/compact",
  "/v1beta/models/gpt-4o:generateContent",
  "/v1beta/models/gpt-4o:streamGenerateContent?alt=sse",
  "/v1beta/models/gpt-4o:countTokens",
  "/api/conversations",
  "/api/replay",
  "/api/replay/follow",
  "/api/import",
];
const valid = {
  model: "gpt-4o",
  max_tokens: 100,
  system: "s",
  instructions: "i",
  tools: [{ type: "function", name: "t", function: { name: "t" }, input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: SECRET },
    { role: "assistant", content: [{ type: "text", text: "x" }] },
    { role: "user", content: "go on" },
  ],
  input: [{ role: "user", content: [{ type: "input_text", text: "x" }] }],
  contents: [
    { role: "user", parts: [{ text: "x" }] },
    { role: "model", parts: [{ functionCall: { name: "t", args: { a: 1 } }, thoughtSignature: "s" }] },
    { role: "user", parts: [{ functionResponse: { name: "t", response: { output: "y" } } }] },
  ],
  systemInstruction: { parts: [{ text: "s" }] },
  generationConfig: { maxOutputTokens: 100, candidateCount: 1 },
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  conversation: "c",
  policies: [{ name: "small", window: 8_000 }],
  context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
};

/** An object that can't be made text. It was found once in 39,000 requests. */
const NO_TEXT: unknown = JSON.parse('{"toString":""}');

/** The valid body with one value somewhere inside of it replaced by anything. */
const mutated = fc
  .record({
    at: fc.array(fc.nat(12), { minLength: 1, maxLength: 6 }),
    value: fc.oneof(fc.jsonValue(), fc.constant("x".repeat(30_000))),
    drop: fc.boolean(),
  })
  .map(({ at, value, drop }) => {
    const body = structuredClone(valid) as Record<string, unknown>;
    let here: Record<string, unknown> = body;
    for (const [depth, step] of at.entries()) {
      const names = Object.keys(here);
      const name = names[step % Math.max(1, names.length)];
      if (name === undefined) break;
      const inner = here[name];
      if (depth < at.length - 1 && typeof inner === "object" && inner !== null)
        here = inner as Record<string, unknown>;
      else {
        if (drop) delete here[name];
        else here[name] = value;
        break;
      }
    }
    return JSON.stringify(body);
  });
const bodies = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: mutated.chain((text) => fc.nat(text.length).map((cut) => text.slice(0, cut))) },
);
const headers = fc.dictionary(
  fc.constantFrom(
    "x-precis-session",
    "x-precis-budget",
    "x-precis-strategy",
    "x-precis-profile",
    "x-precis-off",
    "x-session-id",
    "content-encoding",
    "accept-encoding",
    "anthropic-beta",
  ),
  fc.oneof(
    fc.constantFrom("gzip", "1", "8k", "agent", "none", "drop-all", "br", "a,b"),
    fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
  ),
  { maxKeys: 3 },
);

it("answers any request with something that makes sense, and nothing of another tenant", {
  timeout: HANGS_AFTER_MS + RUNS * REQUEST_MS,
}, async () => {
  const ask = (path: string, body: string, key: string, more: Record<string, string> = {}) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...more, "x-precis-key": key },
      body,
      signal: AbortSignal.timeout(20_000),
    });
  await (await ask("/v1/chat/completions", JSON.stringify(valid), KEYS.a)).text();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...PATHS), bodies, headers, async (path, body, more) => {
      const response = await ask(path, body, KEYS.b, more);
      const text = await response.text();
      expect(response.status, `${path} ${body} ${text}`).not.toBe(500);
      expect(response.status).toBeLessThan(504);
    }),
    { numRuns: RUNS, examples: [["/v1/chat/completions", JSON.stringify({ ...valid, model: NO_TEXT }), {}]] },
  );
  const { conversations } = gateway.gateway.store;
  const mine = await conversations.list("a", { limit: 500, archived: "all" });
  expect(mine.conversations).toHaveLength(1);
  const health = await fetch(`${gateway.url}/healthz`);
  expect(health.status).toBe(200);
});

it("survives bytes that are no HTTP, smuggled requests and broken ones", async () => {
  const { hostname, port } = new URL(gateway.url);
  const raw = (bytes: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      const socket = connect(Number(port), hostname, () => socket.write(bytes));
      socket.on("data", (piece: Buffer) => {
        text += piece.toString("latin1");
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
      setTimeout(() => socket.destroy(), 300);
    });
  const post = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n";
  const inside = "POST /v1/embeddings HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}";
  const seen = provider.requests.length;
  expect(
    await raw(`${post}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${inside}`),
  ).toMatch(/^HTTP\/1.1 400/);
  expect(await raw(`${post}content-length: 4\r\ncontent-length: 60\r\n\r\n${inside}`)).toMatch(
    /^HTTP\/1.1 400/,
  );
  expect(await raw(`${post}x-precis-session: a\r\n b\u0001\r\ncontent-length: 2\r\n\r\n{}`)).toMatch(
    /^HTTP\/1.1 4/,
  );
  expect(await raw(Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x00]))).toMatch(/^HTTP\/1.1 400/);
  await raw(`${post}content-length: 1000\r\n\r\n{"model":`);
  expect(provider.requests).toHaveLength(seen);
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
});
