import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { createGzip, type Gzip } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { apiOf } from "./api-support.ts";
import { upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const MB = 1024 * 1024;
/** Far more than the gateways here read of any answer. */
const SENT = 14 * MB;
const LIMITS = { answerBytes: "1mb", drainMs: 0 };
/** What a gateway may hold while such an answer is under way: what it reads, pieces that wait for the client, and its own growth. */
const MOST_HELD = 10 * MB;
/** What waits in the sockets between upstream, gateway and client is still passed on: so often a gateway is asked again. */
const LOOKS = 20;

/** What the upstream sends: `unit` again and again. Then it neither sends nor ends. */
interface Sending {
  readonly type: string;
  readonly begin?: string;
  readonly unit: string;
  readonly isPacked?: boolean;
  readonly status?: number;
}

/** Undefined: a short answer. */
let sending: Sending | undefined;
let sent: PromiseWithResolvers<void>;
let upstream: OwnUpstream;
const children: ChildProcess[] = [];
const gateways = new Map<string, ReturnType<typeof startMeasured>>();

beforeAll(async () => {
  upstream = await startUpstream((request, _, response) => void answer(request, response));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await upstream.close();
});

async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method !== "POST" && url !== POLLED) {
    response.end("{}");
    return;
  }
  if (!sending) {
    const queued = { id: "resp_1", object: "response", status: "queued", background: true, output: [] };
    response.writeHead(200, { "content-type": JSON_TYPE }).end(JSON.stringify({ ...queued, choices: [] }));
    return;
  }
  const { type, begin = "", unit, isPacked, status = 200 } = sending;
  const gone = new Promise((resolve) => response.on("close", resolve));
  void gone.then(() => sent.resolve());
  response.writeHead(status, { "content-type": type, ...(isPacked && { "content-encoding": "gzip" }) });
  const packer: Gzip | undefined = isPacked ? createGzip() : undefined;
  packer?.pipe(response);
  const target = packer ?? response;
  target.write(begin);
  const piece = unit.repeat(Math.ceil(MB / unit.length));
  for (let size = 0; size < SENT && !response.destroyed; size += piece.length)
    await Promise.race([gone, new Promise((resolve) => target.write(piece, resolve))]);
  sent.resolve();
}

/** A gateway in a process of its own, so that nothing of client and upstream counts; one for all tests with the same config. */
function measured(config: object) {
  const given = { limits: LIMITS, ...upstreamAt(upstream.url, { timeoutMs: 600_000 }), ...config };
  const key = JSON.stringify(given);
  const gateway = gateways.get(key) ?? startMeasured(key);
  gateways.set(key, gateway);
  return gateway;
}

async function startMeasured(config: string) {
  const program = fileURLToPath(new URL("./measured-gateway.ts", import.meta.url));
  const child = fork(program, [config], { execArgv: ["--expose-gc"] });
  children.push(child);
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  const held = async () => {
    child.send("held");
    const [told] = (await once(child, "message")) as [{ readonly held: number }];
    return told.held;
  };
  // What the first request loads isn't held for an answer.
  sending = undefined;
  await post(url + WHOLE.path, WHOLE.body);
  return { url, held };
}

/** What a gateway holds more than before once all was sent, while a client reads. */
async function heldWhile(
  gateway: { held(): Promise<number> },
  given: Sending,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<number> {
  sending = given;
  sent = Promise.withResolvers();
  const before = await gateway.held();
  const leaving = new AbortController();
  const reading = ask(leaving.signal).then(drain);
  await sent.promise;
  let held = (await gateway.held()) - before;
  for (let looks = 1; looks < LOOKS && held >= MOST_HELD; looks++) held = (await gateway.held()) - before;
  leaving.abort();
  await reading.catch(() => {});
  return held;
}

async function drain(response: Response): Promise<void> {
  for await (const _ of response.body!);
}

/** An answer that is written in the background, where its client asks for it. */
const POLLED = "/v1/responses/resp_1";
const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";
const RECALL = { tools: ["recall"] };
const filler = "x".repeat(200);
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const events = (unit: object) => ({ type: EVENTS, unit: data(unit) });
const delta = (value: object) => ({ choices: [{ index: 0, delta: value }] });

const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const CHAT = { path: "/v1/chat/completions", body: { model: "m", stream: true, messages } };
const WHOLE = { path: "/v1/chat/completions", body: { model: "m", messages } };
const MESSAGES = { path: "/v1/messages", body: { model: "m", max_tokens: 9, stream: true, messages } };
const RESPONSES = { path: "/v1/responses", body: { model: "m", stream: true, input: "hi" } };
const GEMINI = { path: "/v1beta/models/m:streamGenerateContent?alt=sse", body: { contents } };
const LIST = { path: "/v1beta/models/m:streamGenerateContent", body: { contents } };
const OLLAMA = { path: "/ollama/api/chat", body: { model: "m", messages } };
const OLLAMA_WHOLE = { path: "/ollama/api/chat", body: { model: "m", stream: false, messages } };

const words = events(delta({ content: filler }));
const call = events(delta({ tool_calls: [{ index: 0, function: { name: "f", arguments: filler } }] }));
const nameless = events(delta({ tool_calls: [{ index: 0, function: { arguments: filler } }] }));
const oneEvent = { type: EVENTS, begin: 'data: {"choices":[{"index":0,"delta":{"content":"', unit: filler };
const onePiece = { type: JSON_TYPE, begin: '{"choices":"', unit: filler };
const error = { type: JSON_TYPE, begin: '{"error":"', unit: filler, status: 500 };
const textDelta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: filler } };
const chunk = { candidates: [{ content: { role: "model", parts: [{ text: filler }] } }] };
const item = { type: "response.output_item.done", output_index: 0, item: { type: "message", filler } };

it.each([
  ["chat", CHAT, words, {}],
  ["chat, packed, with recall", CHAT, { ...words, isPacked: true }, RECALL],
  ["chat with recall, calls without a name", CHAT, nameless, RECALL],
  ["chat with recall, usage alone", CHAT, events({ choices: [], filler }), RECALL],
  ["chat in one event", CHAT, oneEvent, {}],
  ["chat in one event, with recall", CHAT, oneEvent, RECALL],
  ["chat behind its last event", CHAT, { type: EVENTS, begin: "data: [DONE]\n", unit: filler }, {}],
  ["chat in one piece", WHOLE, onePiece, {}],
  ["chat in one piece, with recall", WHOLE, onePiece, RECALL],
  ["an error", CHAT, error, {}],
  ["an error, with recall", CHAT, { ...error, type: EVENTS }, RECALL],
  ["messages with recall", MESSAGES, events(textDelta), RECALL],
  ["responses", RESPONSES, events({ type: "response.output_text.delta", delta: filler }), {}],
  ["responses with recall, whole items", RESPONSES, events(item), RECALL],
  ["gemini with recall", GEMINI, events(chunk), RECALL],
  ["gemini as a list", LIST, { type: JSON_TYPE, begin: "[", unit: `${JSON.stringify(chunk)},` }, {}],
  ["ollama", OLLAMA, words, {}],
  ["ollama, calls", OLLAMA, call, {}],
  ["ollama in one event", OLLAMA, oneEvent, {}],
  ["ollama in one piece", OLLAMA_WHOLE, onePiece, {}],
  ["ollama in one piece, as events", OLLAMA_WHOLE, words, {}],
] as const)("an answer without an end isn't held in memory: %s", async (_, { path, body }, given, config) => {
  const gateway = await measured(config);
  const held = await heldWhile(gateway, given, (signal) => post(gateway.url + path, body, {}, signal));
  expect(held).toBeLessThan(MOST_HELD);
});

it("an answer without an end isn't held that was written in the background", async () => {
  const gateway = await measured({});
  sending = undefined;
  await post(`${gateway.url}/v1/responses`, { model: "m", input: "hi", background: true });
  const held = await heldWhile(gateway, onePiece, (signal) => fetch(gateway.url + POLLED, { signal }));
  expect(held).toBeLessThan(MOST_HELD);
});

it.each([
  ["words", words, {}],
  ["words, with recall", words, RECALL],
  ["one event", oneEvent, {}],
  ["one piece", onePiece, {}],
  ["an error", error, {}],
])("an answer without an end isn't held for a chat of the page: %s", async (_, given, config) => {
  const gateway = await measured(config);
  const { call: ask, raw } = apiOf(() => gateway.url);
  // What a first chat loads (the tokenizer, for the meter) isn't held for an answer.
  const first = await ask(routes.createConversation, { body: { model: "m" } });
  sending = undefined;
  await drain(await raw(routes.chat, { params: { id: first.id }, body: { text: "hi" } }));
  const { id } = await ask(routes.createConversation, { body: { model: "m" } });
  const held = await heldWhile(gateway, given, (signal) =>
    raw(routes.chat, { params: { id }, body: { text: "hi" }, signal }),
  );
  expect(held).toBeLessThan(MOST_HELD);
});
