/**
 * A client may decide about a compaction of its own by the count that it asks for, or by the usage of answers. Through the gateway
 * both must tell of the same thing, or it compacts what was compacted already.
 */
import { afterEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const WINDOW = 20_000;
/** A count is no further from what the provider then counts (a share). */
const NEAR = 0.15;

const said = Array.from({ length: 121 }, (_, n) =>
  n % 2 === 0 ? `Turn ${n}: ${`we look at file src/part-${n}.ts. `.repeat(80)}` : `Done with ${n}.`,
);
const roleOf = (n: number, model: string) => (n % 2 === 0 ? "user" : model);
const messages = said.map((content, n) => ({ role: roleOf(n, "assistant"), content }));

interface Counts {
  readonly [name: string]: number;
}

/** One conversation in each API that has a route for counting. */
const apis = [
  {
    api: "messages",
    path: "/v1/messages",
    body: { model: "claude-opus-5", max_tokens: 100, messages },
    countPath: "/v1/messages/count_tokens",
    countBody: { model: "claude-opus-5", messages },
    used: ({ usage }: { readonly usage: Counts }) =>
      usage["input_tokens"]! +
      (usage["cache_read_input_tokens"] ?? 0) +
      (usage["cache_creation_input_tokens"] ?? 0),
    counted: "input_tokens",
  },
  {
    api: "responses",
    path: "/v1/responses",
    body: { model: "gpt-5", input: messages },
    countPath: "/v1/responses/input_tokens",
    countBody: { model: "gpt-5", input: messages },
    used: ({ usage }: { readonly usage: Counts }) => usage["input_tokens"]!,
    counted: "input_tokens",
  },
  {
    api: "gemini",
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    body: { contents: said.map((text, n) => ({ role: roleOf(n, "model"), parts: [{ text }] })) },
    countPath: "/v1beta/models/gemini-2.5-flash:countTokens",
    countBody: { contents: said.map((text, n) => ({ role: roleOf(n, "model"), parts: [{ text }] })) },
    used: ({ usageMetadata }: { readonly usageMetadata: Counts }) => usageMetadata["promptTokenCount"]!,
    counted: "totalTokens",
  },
] as const;
type Api = (typeof apis)[number];

async function start(config: object = {}, upstream: object = {}): Promise<void> {
  provider = await startFakeProvider({ window: WINDOW, reply: "Yes." });
  const common = { window: WINDOW, summarizer: "extractive" };
  gateway = await startGateway({ ...upstreamAt(provider.url, upstream), ...common, ...config });
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json();
}

/**
 * What a client is told of one request: by the usage of its answer, and by a count of the same messages. From a first answer precis
 * learns how the provider counts.
 */
async function told({ path, body, countPath, countBody, used, counted }: Api) {
  await post(path, body);
  const usage = used((await post(path, body)) as never);
  const count = ((await post(countPath, countBody)) as Counts)[counted]!;
  return { usage, count };
}

describe.each(apis)("$api", (api) => {
  it("a count tells of the view, as usage does", async () => {
    await start();
    const { usage, count } = await told(api);
    expect(usage).toBeLessThan(WINDOW);
    expect(Math.abs(count / usage - 1)).toBeLessThan(NEAR);
  });

  it("a request with a budget of its own is counted by that", async () => {
    await start();
    const budget = { "x-precis-budget": "5k" };
    const count = ((await post(api.countPath, api.countBody, budget)) as Counts)[api.counted]!;
    expect(count).toBeLessThan(5_000);
  });
});

describe("a provider that counts itself", () => {
  const [messagesApi] = apis;

  it("is asked where it is sent the whole transcript", async () => {
    await start({ window: 200_000 }, { nativeCompaction: true });
    const short = { ...messagesApi.countBody, messages: messages.slice(0, 3) };
    const answer = (await post(messagesApi.countPath, short)) as Counts;
    expect(answer["input_tokens"]).toBe(countedByProvider(messages.slice(0, 3)));
  });

  it("isn't asked about a transcript that it won't see", async () => {
    await start({}, { nativeCompaction: true });
    const { usage, count } = await told(messagesApi);
    expect(usage).toBeLessThan(WINDOW);
    expect(Math.abs(count / usage - 1)).toBeLessThan(NEAR);
  });

  /** As the fake provider counts: four characters are a token, and a message costs four beside them. */
  const countedByProvider = (list: readonly { readonly content: string }[]) =>
    list.reduce((sum, { content }) => sum + Math.ceil(content.length / 4) + 4, 0);
});
