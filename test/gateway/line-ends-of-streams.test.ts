/**
 * Lines of a stream may end with LF, CRLF (Google) or CR, and a network may cut it anywhere. An event that precis wrote with another
 * line end than its neighbours stopped Google's own parsers.
 */
import { afterEach, describe, expect, it } from "vitest";
import { type ChatEvent, routes } from "../../src/gateway/api.ts";
import { type FakeProvider, type FakeReply, startFakeProvider } from "../../src/testing/index.ts";
import { byProof } from "../support/proof.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const LINE_ENDS = ["\n", "\r\n", "\r"];
const REPLY = "Grüße: data: [DONE]\n\nevent: message_stop\r\n\r\nand so on.";

let provider: FakeProvider;
let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const { call, events } = apiOf(() => gateway.url);
/** How the upstream ends its lines, and behind which bytes it waits for a moment. */
let lineEnd = "\n";
let isCutAt: (at: number) => boolean = () => false;
let sent: Buffer;

/** The fake provider, whose streams are sent once more with other line ends and in other pieces: each is the same at every request. */
async function start(config: object, reply: FakeReply | readonly FakeReply[] = REPLY): Promise<void> {
  provider = await startFakeProvider({ window: 1_000_000, reply, unknownFields: "ignore" });
  const streams = new Map<string, Promise<string>>();
  there = await startUpstream(async (request, body, response) => {
    if (request.method === "GET") return void response.writeHead(404).end();
    const key = `${request.url} ${/precis_recall.*(functionResponse|function_call_output|tool_result|"tool")/.test(body.toString())}`;
    const url = provider.url + request.url;
    const headers = { "anthropic-version": "2023-06-01" };
    if (!streams.has(key))
      streams.set(
        key,
        post(url, body, headers).then((answer) => answer.text()),
      );
    sent = Buffer.from((await streams.get(key)!).replaceAll(/\r\n|\n/g, lineEnd));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let at = 0, next = 1; next <= sent.length; next++) {
      if (next < sent.length && !isCutAt(next)) continue;
      response.write(sent.subarray(at, next));
      at = next;
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  gateway = await startGateway(configured(config));
}
const configured = (config: object) => ({
  ...upstreamAt(there.url),
  window: 5_000,
  summarizer: "extractive",
  ...config,
});
afterEach(async () => {
  await gateway.close();
  await there.close();
  await provider.close();
  lineEnd = "\n";
  isCutAt = () => false;
});

const talk = Array.from({ length: 41 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `Part ${n}: ${"we looked at this and that once more. ".repeat(12)}`,
}));
const short = talk.slice(0, 1);
type Said = (typeof talk)[number];

const chat = (messages: readonly Said[]) => ({
  path: "/v1/chat/completions",
  body: { model: "gpt-4o", stream: true, stream_options: { include_usage: true }, messages },
});
const responses = (input: readonly Said[], more: object = {}) => ({
  path: "/v1/responses",
  body: { model: "gpt-4o", stream: true, input, ...more },
});
const anthropic = (messages: readonly Said[], more: object = {}) => ({
  path: "/v1/messages",
  body: { model: "claude-sonnet-4-5", max_tokens: 100, stream: true, messages, ...more },
});
const gemini = (messages: readonly Said[]) => ({
  path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
  body: {
    contents: messages.map(({ role, content }) => ({
      role: role === "user" ? "user" : "model",
      parts: [{ text: content }],
    })),
  },
});
const APIS = { chat, responses, anthropic, gemini };
const recalling = { text: "", calls: [{ name: "precis_recall", args: { query: "Part 3" } }] };
const compact = { type: "compact_20260112", trigger: { type: "input_tokens", value: 1_000 } };

const CASES = [
  ...Object.entries(APIS).flatMap(([name, api]) => [
    { name: `${name}, untouched`, ...api(short), config: {}, reply: REPLY },
    { name: `${name}, a view`, ...api(talk), config: {}, reply: REPLY },
    {
      name: `${name}, tools of precis's own`,
      ...api(talk),
      config: { tools: ["recall"] },
      reply: [recalling, REPLY],
    },
  ]),
  {
    name: "responses, OpenAI's compaction",
    ...responses(talk, { context_management: [{ type: "compaction", compact_threshold: 1_000 }] }),
    config: {},
    reply: REPLY,
  },
  {
    name: "anthropic, Anthropic's compaction",
    ...anthropic(talk, { context_management: { edits: [compact] } }),
    config: {},
    reply: REPLY,
  },
  {
    name: "Ollama",
    path: "/ollama/api/chat",
    body: { model: "gpt-4o", messages: short },
    config: {},
    reply: REPLY,
  },
];

const HEADERS = { "anthropic-version": "2023-06-01", "anthropic-beta": "compact-2026-01-12" };
const ask = async ({ path, body }: { path: string; body: object }) => {
  const response = await post(gateway.url + path, body, HEADERS);
  expect(response.status).toBe(200);
  return plain(await response.text());
};
/** Without what is another in every answer: numbers, ids, summaries. */
const plain = (text: string) =>
  text.replaceAll(/cmp_\w+|"encrypted_content":"[^"]+"|"<conversation-summary>(?:[^"\\]|\\.)*"|\d+/g, "");

/** The only conversation. */
async function stored(): Promise<string> {
  const { conversations } = await call(routes.conversations);
  expect(conversations).toHaveLength(1);
  return JSON.stringify(await call(routes.messages, { params: { id: conversations[0]!.id } }));
}

/** Where streams are cut in two: around line ends, and everywhere in a longer run. */
function cuts(stream: Buffer): readonly number[] {
  const all = Array.from(stream, (_, at) => at).slice(1);
  const isEnd = (at: number) => stream[at] === 0x0a || stream[at] === 0x0d;
  const atEnds = all.filter((at) => isEnd(at) || isEnd(at - 1));
  // A line that ends with LF alone can't be cut within its end.
  const some = lineEnd === "\n" ? atEnds.slice(-2) : [...atEnds.slice(0, 2), ...atEnds.slice(-4)];
  return byProof({ sample: some, more: atEnds, all });
}

describe.each(CASES)("$name", ({ config, reply, ...request }) => {
  /** What is answered where lines end with LF and nothing is cut, in a conversation that begins. */
  let reference: string | undefined;
  it.each(LINE_ENDS)(
    "lines that end with %j stay so, wherever the stream is cut, and are stored",
    async (end) => {
      await start(config, reply);
      if (reference === undefined) {
        reference = await ask(request);
        expect(reference).toContain("Grüße");
        await gateway.close();
        gateway = await startGateway(configured(config));
      }
      lineEnd = end;
      const expected = request.path.startsWith("/ollama") ? reference : reference.replaceAll("\n", end);
      isCutAt = () => true;
      expect(await ask(request)).toBe(expected);
      expect(await stored()).toContain("Grüße");
      for (const cut of cuts(sent)) {
        isCutAt = (at) => at === cut;
        expect(await ask(request), `cut at ${cut}`).toBe(expected);
      }
    },
  );
});

it.each(LINE_ENDS)(
  "a chat of the page is told every word of a stream whose lines end with %j",
  async (end) => {
    await start({});
    lineEnd = end;
    isCutAt = () => true;
    const { id } = await call(routes.createConversation, { body: { model: "gpt-4o" } });
    const told = await events<ChatEvent>(routes.chat, { params: { id }, body: { text: "Hi" } });
    expect(told.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe(REPLY);
    expect(told.at(-1)).toMatchObject({ type: "done" });
  },
);
