/** A provider whose tokenizer isn't public may count much more than precis does. Where it says so itself, no request is refused first. */
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const WINDOW = 20_000;
/** The provider counts a token for so many characters, precis by its tokenizer about four. */
const CHARACTERS_PER_TOKEN = 2;

let provider: FakeProvider | undefined;
let own: OwnUpstream | undefined;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider?.close();
  await own?.close();
  provider = undefined;
  own = undefined;
});

/** About 11,000 tokens by the tokenizer, and more than the window by the provider. */
const said = Array.from({ length: 25 }, (_, n) =>
  n % 2 === 0 ? `Turn ${n}: ${"we look at the next part of the house. ".repeat(90)}` : `Done with ${n}.`,
);
const roleOf = (n: number, model: string) => (n % 2 === 0 ? "user" : model);
const messages = said.map((content, n) => ({ role: roleOf(n, "assistant"), content }));
const contents = said.map((text, n) => ({ role: roleOf(n, "model"), parts: [{ text }] }));

const GEMINI = "/v1beta/models/gemini-2.5-flash";
const apis = [
  {
    api: "messages",
    path: "/v1/messages?beta=true",
    body: { model: "claude-opus-5", max_tokens: 100, messages, metadata: { user_id: "u" } },
    countPath: "/v1/messages/count_tokens",
  },
  {
    api: "responses",
    path: "/v1/responses",
    body: { model: "gpt-5", input: messages, instructions: "Be brief.", stream: true },
    countPath: "/v1/responses/input_tokens",
  },
  {
    api: "gemini",
    path: `${GEMINI}:streamGenerateContent?alt=sse`,
    body: { contents, systemInstruction: { parts: [{ text: "Be brief." }] } },
    countPath: `${GEMINI}:countTokens`,
  },
] as const;

async function start(upstream: object): Promise<FakeProvider> {
  provider = await startFakeProvider({
    window: WINDOW,
    reply: "Yes.",
    count: (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
  });
  gateway = await startGateway({
    ...upstreamAt(provider.url, upstream),
    window: WINDOW,
    summarizer: "extractive",
  });
  return provider;
}

describe.each(apis)("$api", ({ path, body, countPath }) => {
  it("counts a view that comes near the budget, and refuses none", async () => {
    const { requests, otherRequests } = await start({ count: "provider" });
    const response = await post(gateway.url + path, body, { "anthropic-version": "2023-06-01" });
    await response.text();
    expect(response.status).toBe(200);
    expect(requests.map(({ status }) => status)).toEqual([200]);
    const counts = otherRequests.filter(({ method }) => method === "POST");
    expect(counts.length).toBeGreaterThanOrEqual(1);
    for (const count of counts) expect(count.path.split("?")[0]).toBe(countPath);
    expect(response.headers.get("x-precis-action")).toBe("compacted");
  });

  it("isn't asked unless the config says so", async () => {
    const { requests, otherRequests } = await start({});
    const response = await post(gateway.url + path, body, { "anthropic-version": "2023-06-01" });
    await response.text();
    expect(otherRequests.filter(({ method }) => method === "POST")).toEqual([]);
    // What it refuses is made smaller and sent again.
    expect(requests.map(({ status }) => status)).toEqual([400, 200]);
  });
});

it("what is far from the budget isn't counted", async () => {
  const { requests, otherRequests } = await start({ count: "provider" });
  await post(`${gateway.url}/v1/messages`, { ...apis[0].body, messages: messages.slice(0, 3) });
  expect(requests.map(({ status }) => status)).toEqual([200]);
  expect(otherRequests.filter(({ method }) => method === "POST")).toEqual([]);
});

const answer = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Yes." }],
};

it.each([
  ["has no such endpoint", (response: ServerResponse) => answer(response, 404, { error: "not found" })],
  ["says something else", (response: ServerResponse) => answer(response, 200, { tokens: "many" })],
  ["breaks off", (response: ServerResponse) => void response.destroy()],
])("a provider that %s is sent the view as it is", async (_, refuse) => {
  own = await startUpstream((request, __, response) =>
    request.url?.includes("count_tokens") ? refuse(response) : answer(response, 200, MESSAGE),
  );
  gateway = await startGateway({
    ...upstreamAt(own.url, { count: "provider" }),
    window: WINDOW,
    summarizer: "extractive",
  });
  const response = await post(`${gateway.url}/v1/messages`, apis[0].body);
  expect(response.status).toBe(200);
  const sent = own.seen.filter(({ request }) => request.url === "/v1/messages");
  expect(JSON.parse(sent[0]!.body.toString("utf8"))).toEqual(apis[0].body);
});

it("a key of the server's is sent with the count, and the client's own stays away", async () => {
  own = await startUpstream((request, __, response) =>
    answer(response, 200, request.url?.includes("count_tokens") ? { input_tokens: 9_000 } : MESSAGE),
  );
  gateway = await startGateway({
    ...upstreamAt(own.url, { count: "provider", apiKey: "sk-of-the-server" }),
    window: WINDOW,
    summarizer: "extractive",
  });
  await post(`${gateway.url}/v1/messages`, apis[0].body, { "x-api-key": "sk-of-the-client" });
  const [count, request] = own.seen.map((one) => one.request);
  expect(count?.url).toBe("/v1/messages/count_tokens");
  expect(count?.headers["x-api-key"]).toBe(request?.headers["x-api-key"]);
  expect(JSON.stringify(count?.headers)).not.toContain("sk-of-the-client");
});
