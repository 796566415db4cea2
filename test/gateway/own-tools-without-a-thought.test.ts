/** A model calls a tool of precis's own without a thought before it: providers refuse a tool loop that they must think in then. */
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import {
  type FakeProvider,
  type FakeReplier,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const talk = Array.from(
  { length: 40 },
  (_, n): Anthropic.MessageParam => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `Part ${n}: ${"we looked at this and that once more. ".repeat(12)}`,
  }),
);

async function start(reply: FakeReplier, tools: readonly string[]): Promise<void> {
  provider = await startFakeProvider({ window: 1_000_000, reply });
  gateway = await startGateway({
    ...upstreamAt(provider.url),
    window: 200_000,
    summarizer: "extractive",
    tools,
  });
}

async function ask(
  messages: readonly Anthropic.MessageParam[],
  streamed: boolean,
  sizes: Pick<Anthropic.MessageCreateParams, "max_tokens" | "thinking"> = {
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  },
): Promise<Anthropic.MessageParam> {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: "k", maxRetries: 0 });
  const body = {
    model: "claude-sonnet-4-5",
    ...sizes,
    messages: [...messages],
    tools: [{ name: "look", description: "Looks.", input_schema: { type: "object" as const } }],
  };
  const { content } = streamed
    ? await client.messages.stream(body).finalMessage()
    : await client.messages.create(body);
  return { role: "assistant", content };
}

const looked = ({ content }: Anthropic.MessageParam, seen = "The sky is grey."): Anthropic.MessageParam => {
  const call = (content as Anthropic.ContentBlock[]).find(
    ({ type }) => type === "tool_use",
  ) as Anthropic.ToolUseBlock;
  return {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: call.id, content: seen }],
  };
};

describe.each([
  { tool: "compact", args: { upTo: "#20" } },
  { tool: "recall", args: { query: "part" } },
])("precis_$tool", ({ tool, args }) => {
  const own = { name: `precis_${tool}`, args };
  describe.each([false, true])("streamed: %s", (streamed) => {
    it.each([
      { name: "no round has a thought", reasoning: ["", "", ""] },
      { name: "the first round has a thought", reasoning: ["Enough.", "", ""] },
      { name: "only the second round has one", reasoning: ["", "Now look.", ""] },
      { name: "all have", reasoning: ["Enough.", "Now look.", "Done."] },
    ])("$name", async ({ reasoning }) => {
      let round = 0;
      await start(() => {
        const thought = { reasoning: reasoning[round] ?? "" };
        round++;
        if (round === 1) return { ...thought, calls: [own] };
        if (round === 2) return { ...thought, text: "I look.", calls: [{ name: "look", args: {} }] };
        return { ...thought, text: "All clear." };
      }, [tool]);
      const asked = [...talk, { role: "user" as const, content: "That is done. Look outside." }];
      const first = await ask(asked, streamed);
      const loop = [...asked, first, looked(first)];
      const second = await ask(loop, streamed);
      expect(JSON.stringify(second.content)).toContain("All clear.");
      await ask([...loop, second, { role: "user", content: "Thanks." }], streamed);
      expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    });
  });
});

it.each([
  { reasoning: ["Enough.", "", ""] },
  { reasoning: ["Enough.", "Now look.", ""] },
  { reasoning: ["", "Now look.", ""] },
])(
  "what was looked up is still there where the answer has no room to think in: $reasoning",
  async ({ reasoning }) => {
    let round = 0;
    provider = await startFakeProvider({
      window: 1_000_000,
      reply: () => {
        const thought = { reasoning: reasoning[round] ?? "" };
        round++;
        if (round === 1)
          return { ...thought, calls: [{ name: "precis_recall", args: { query: "harbour" } }] };
        if (round === 2) return { ...thought, text: "I look.", calls: [{ name: "look", args: {} }] };
        return { ...thought, text: "All clear." };
      },
    });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 4_000, tools: ["recall"] });
    const asked = [
      {
        role: "user" as const,
        content: `The gate is red. ${"Words that fill the page. ".repeat(70)}Look outside.`,
      },
    ];
    const sizes = { max_tokens: 16_000, thinking: { type: "enabled" as const, budget_tokens: 2_850 } };
    const first = await ask(asked, false, sizes);
    const results = looked(first, "Grey clouds over the sea. ".repeat(40));
    await ask([...asked, first, results], false, sizes);
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [before, , last] = provider.requests;
    expect(before!.body["thinking"]).toEqual(sizes.thinking);
    expect(last!.body["thinking"]).toBeUndefined();
    expect(last!.raw).toContain('"name":"precis_recall","input"');
  },
);

describe.each([
  { family: "deepseek", model: "deepseek-v4-pro", path: "chat/completions" },
  { family: "deepseek", model: "deepseek-v4-pro", path: "messages" },
  { family: "kimi", model: "kimi-k2.6", path: "chat/completions" },
  { family: "kimi", model: "kimi-k2.6", path: "messages" },
  { family: "openrouter", model: "google/gemini-3-pro-preview", path: "chat/completions" },
] as const)("$model, $path", ({ family, model, path }) => {
  it.each([false, true])("a hidden round goes back with its thought, streamed: %s", async (stream) => {
    provider = await startFakeProvider({
      family,
      unknownFields: "ignore",
      reply: ({ messages }) =>
        messages.at(-1)!.role === "tool"
          ? { reasoning: "There it is.", text: "Found." }
          : { reasoning: "I look it up.", calls: [{ name: "precis_recall", args: { query: "part" } }] },
    });
    gateway = await startGateway({ ...upstreamAt(provider.url), window: 200_000, tools: ["recall"] });
    const response = await fetch(`${gateway.url}/v1/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model,
        max_tokens: 2_000,
        thinking: { type: "enabled", budget_tokens: 1_024 },
        messages: talk.slice(0, 1),
        stream,
      }),
    });
    expect(await response.text()).toContain("Found.");
    expect(provider.requests.map(({ status }) => status)).toEqual([200, 200]);
  });
});
