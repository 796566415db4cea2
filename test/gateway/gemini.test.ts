import { afterEach, describe, expect, it } from "vitest";
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "../../src/testing/index.ts";
import { byProof } from "../support/proof.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: {
    readonly id?: string;
    readonly name: string;
    readonly args: { readonly n: number };
  };
}
interface Chunk {
  readonly candidates: { readonly content: { readonly role: string; readonly parts: Part[] } }[];
  readonly usageMetadata: { readonly promptTokenCount: number; readonly totalTokenCount: number };
}

const TOOLS = [
  { functionDeclarations: [{ name: "read", description: "Reads.", parameters: { type: "OBJECT" } }] },
];
const WINDOW = 12_000;
/** Enough for three compactions. */
const ROUNDS = byProof({ sample: 32, more: 40, all: 40 });

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(options: FakeProviderOptions, config: object = {}): Promise<void> {
  provider = await startFakeProvider({ window: WINDOW, ...options });
  // No model is asked for summaries, so every request that the provider gets is one of the client.
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    window: WINDOW,
    summarizer: "extractive",
    ...config,
  });
}

const address = (model: string, method: string) => `${gateway.url}/v1beta/models/${model}:${method}`;
const user = (text: string) => ({ role: "user", parts: [{ text }] });

/** Reads files one after the other, two of them at once at times, and asks for the next one in between. */
const reading: FakeProviderOptions["reply"] = ({ number }) =>
  number % 9 === 8
    ? `That was all of it, number ${number}.`
    : {
        text: number % 4 === 0 ? `Reading ${number}.` : "",
        calls:
          number % 3 === 0
            ? [
                { name: "read", args: { n: number } },
                { name: "read", args: { n: -number } },
              ]
            : [{ name: "read", args: { n: number } }],
      };

const ways = {
  "in one piece": ["generateContent", ""],
  "as events": ["streamGenerateContent", "?alt=sse"],
  "as a list": ["streamGenerateContent", ""],
} as const;

/** What the answer holds, its chunks put together as gemini-cli does it. */
function partsOf(text: string): Part[] {
  const chunks = (
    text.startsWith("data:")
      ? text
          .split("\n\n")
          .filter((event) => event.startsWith("data:"))
          .map((event) => JSON.parse(event.slice("data:".length)) as Chunk)
      : [JSON.parse(text) as Chunk | Chunk[]].flat()
  ) as Chunk[];
  return chunks
    .flatMap(({ candidates }) => candidates[0]!.content.parts)
    .filter((part) => part.text !== "" || part.thoughtSignature);
}

describe.each(["gemini-3-pro-preview", "gemini-2.5-flash"])("%s", (model) => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])(
    `${ROUNDS} rounds of tools %s: no request is refused, and what was hidden is summarised`,
    async (way) => {
      await start({ reply: reading });
      const [method, query] = ways[way];
      const contents: object[] = [user("Read all files, one by one. The code word is marmalade-17.")];
      const actions: (string | null)[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const response = await post(address(model, method) + query, {
          contents,
          tools: TOOLS,
          systemInstruction: { parts: [{ text: "Be brief." }] },
        });
        const text = await response.text();
        expect(response.status, text).toBe(200);
        actions.push(response.headers.get("x-precis-action"));
        const parts = partsOf(text);
        contents.push({ role: "model", parts });
        const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
        const results = calls.map(({ id, name, args }) => ({
          functionResponse: {
            ...(id !== undefined && { id }),
            name,
            response: { output: `File ${args.n}: ${`line ${args.n} of the file. `.repeat(140)}` },
          },
        }));
        contents.push(
          calls.length > 0 ? { role: "user", parts: results } : user(`Go on with number ${round}.`),
        );
      }
      expect(provider.requests.map(({ error }) => error).filter(Boolean)).toEqual([]);
      expect(actions.filter((action) => action === "compacted").length).toBeGreaterThan(2);
      expect(Math.max(...provider.requests.map(({ tokens }) => tokens.input))).toBeLessThan(WINDOW);
      expect(JSON.stringify(provider.requests.at(-1)!.body)).toContain("marmalade-17");
      // One conversation, with everything that was said.
      const { conversations } = (await (await fetch(`${gateway.url}/api/conversations`)).json()) as {
        conversations: { messages: number }[];
      };
      expect(conversations.map(({ messages }) => messages)).toEqual([contents.length - 1]);
    },
  );
});

it.each(["drop-middle", "truncate-oldest", "summarize-oldest", "summarize-middle"])(
  "no view of %s has a function call right behind another message of the model, which Google refuses",
  async (strategy) => {
    await start({});
    const round = (n: number) => [
      {
        role: "model",
        parts: [{ functionCall: { name: "read", args: { n } } }],
      },
      {
        role: "user",
        parts: [{ functionResponse: { name: "read", response: { output: `${n} lines. `.repeat(150) } } }],
      },
    ];
    let views = 0;
    for (const [rounds, window] of [
      [1, 3_000],
      [3, 3_000],
      [5, 4_000],
    ] as const) {
      const contents = [
        user("Read the files."),
        { role: "model", parts: [{ text: "Which ones?" }] },
        user(`All of them. ${"They are in the folder. ".repeat(400)}`),
        ...Array.from({ length: rounds }, (_, n) => round(n)).flat(),
        { role: "model", parts: [{ text: `Done. ${"It was much. ".repeat(40)}` }] },
        user("And the last one?"),
        ...round(99),
      ];
      const response = await post(
        address("gemini-2.5-pro", "generateContent"),
        { contents, tools: TOOLS },
        { "x-precis-window": String(window), "x-precis-strategy": strategy },
      );
      expect(response.status, await response.text()).toBe(200);
      const sent = (
        provider.requests.at(-1)!.body as unknown as { contents: { role: string; parts: Part[] }[] }
      ).contents;
      if (sent.length < contents.length) views++;
      const calling = sent.filter(
        ({ parts }, at) => parts.some((part) => part.functionCall) && sent[at - 1]?.role !== "user",
      );
      expect(calling).toEqual([]);
    }
    expect(views).toBeGreaterThan(0);
  },
);

it("small requests and their answers pass byte for byte", async () => {
  await start({ reply: "Hello!" });
  const body = '{ "contents" : [{"parts":[{"text":"Hi"}]}],  "generation_config":{"max_output_tokens":20} }';
  const response = await post(address("gemini-2.5-flash", "generateContent"), body);
  expect(response.headers.get("x-precis-action")).toBe("pass");
  expect(provider.requests[0]).toMatchObject({ raw: body, model: "gemini-2.5-flash", cap: 20 });
  expect(await response.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "Hello!" }] } }] });
});

it("a key in the query becomes a header: it stands in no path that is logged or sent on", async () => {
  await start({ apiKey: "secret-4711" });
  const response = await post(`${address("gemini-2.5-flash", "generateContent")}?key=secret-4711&alt=json`, {
    contents: [user("Hi")],
  });
  expect(response.status).toBe(200);
  const [seen] = provider.requests;
  expect(seen!.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent?alt=json");
  expect(seen!.headers["x-goog-api-key"]).toBe("secret-4711");
});

it("a key for the gateway isn't sent on, and the upstream's own key goes where Google reads it", async () => {
  provider = await startFakeProvider({ apiKey: "of-the-upstream" });
  gateway = await startGateway({
    ...upstreamAt(provider.url, { apiKey: "of-the-upstream" }),
    auth: { mode: "keys", keys: [{ key: "for-the-gateway-4711", name: "ann", tenant: "a" }] },
  });
  const body = { contents: [user("Hi")] };
  expect((await post(address("gemini-2.5-flash", "generateContent"), body)).status).toBe(401);
  const response = await post(address("gemini-2.5-flash", "generateContent"), body, {
    "x-goog-api-key": "for-the-gateway-4711",
  });
  expect(response.status).toBe(200);
  expect(provider.requests[0]!.headers["x-goog-api-key"]).toBe("of-the-upstream");
});

it("counts by the whole transcript, as the answer's usage does where nothing is hidden", async () => {
  await start({ reply: "Yes." });
  const contents = [user("How much is this? ".repeat(50))];
  const counted = (await (await post(address("gemini-2.5-flash", "countTokens"), { contents })).json()) as {
    totalTokens: number;
  };
  expect(counted.totalTokens).toBeGreaterThan(200);
  const inner = { generateContentRequest: { model: "models/gemini-2.5-flash", contents } };
  expect(await (await post(address("gemini-2.5-flash", "countTokens"), inner)).json()).toMatchObject({
    totalTokens: counted.totalTokens,
  });
});

it("lists the models of the upstream", async () => {
  await start({});
  const list = (await (await fetch(`${gateway.url}/v1beta/models`)).json()) as { models: { name: string }[] };
  expect(list.models.map(({ name }) => name)).toContain("models/gemini-3-pro-preview");
  expect(await (await fetch(`${gateway.url}/v1beta/models/gemini-2.5-flash`)).json()).toMatchObject({
    name: "models/gemini-2.5-flash",
  });
});

it("learns the window from Gemini's own words and fits the request", async () => {
  await start({ window: 3_000 }, { window: 200_000 });
  const contents = Array.from({ length: 41 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "model",
    parts: [{ text: `${n}: ${"please say more. ".repeat(50)}` }],
  }));
  const response = await post(address("gemini-2.5-flash", "generateContent"), { contents });
  expect(response.status).toBe(200);
  expect(provider.requests[0]!.error).toContain("exceeds the maximum number of tokens allowed (3000)");
  expect(provider.requests.at(-1)!.tokens.input).toBeLessThan(3_000);
});

it("what stands on the provider's cache is passed on as it is", async () => {
  await start({ window: 100_000 }, { window: 2_000 });
  const contents = Array.from({ length: 21 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "model",
    parts: [{ text: `${n}: ${"please say more. ".repeat(50)}` }],
  }));
  const body = { contents, cachedContent: "cachedContents/abc" };
  const response = await post(address("gemini-2.5-flash", "generateContent"), body);
  expect(response.headers.get("x-precis-action")).toBe("untouched");
  expect(provider.requests[0]!.body).toEqual(body);
});

it("errors are told in Google's shape", async () => {
  await start({});
  const response = await post(address("gemini-2.5-flash", "generateContent"), { messages: [] });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
});

it("reaches Google's servers where they are, whichever of its addresses is configured", async () => {
  const upstream = await startUpstream((_request, _body, response) => void response.end("{}"));
  provider = await startFakeProvider();
  gateway = await startGateway(upstreamAt(`${upstream.url}/v1beta`));
  await post(address("gemini-2.5-flash", "generateContent"), { contents: [user("Hi")] });
  await gateway.close();
  gateway = await startGateway(upstreamAt(`${upstream.url}/v1beta/openai`));
  await post(address("gemini-2.5-flash", "generateContent"), { contents: [user("Hi")] });
  await post(`${gateway.url}/v1/chat/completions`, {
    model: "gemini-2.5-flash",
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(upstream.seen.map(({ request }) => request.url)).toEqual([
    "/v1beta/models/gemini-2.5-flash:generateContent",
    "/v1beta/models/gemini-2.5-flash:generateContent",
    "/v1beta/openai/chat/completions",
  ]);
  await upstream.close();
});
