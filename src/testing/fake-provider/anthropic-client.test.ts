import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, test } from "vitest";
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "./index.ts";

const running: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.close()));
});

async function setUp(options: FakeProviderOptions = {}) {
  const provider = await startFakeProvider(options);
  running.push(provider);
  const client = new Anthropic({ baseURL: provider.url, apiKey: "sk-ant-test", maxRetries: 0 });
  return { provider, client };
}

type Message = Anthropic.MessageParam;
const MODEL = "claude-sonnet-4-6";
const TOOLS: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
const user = (content: Message["content"]): Message => ({ role: "user", content });
const assistant = (content: Message["content"]): Message => ({ role: "assistant", content });
const result = (id: string): Message => user([{ type: "tool_result", tool_use_id: id, content: "text" }]);

test("a text", async () => {
  const { client, provider } = await setUp({ reply: (request) => `You said: ${request.lastUser}` });
  const answer = await client.messages.create({
    model: MODEL,
    max_tokens: 100,
    system: "Be kind.",
    messages: [user("Hello")],
  });
  expect(answer.content).toEqual([{ type: "text", text: "You said: Hello" }]);
  expect(answer.stop_reason).toBe("end_turn");
  expect(answer.usage.input_tokens).toBe(12);
  expect(provider.requests[0]?.messages[0]).toEqual({ role: "system", text: "Be kind." });
});

test("a stream with thinking, text and a call; its thinking comes back and is checked", async () => {
  const { client } = await setUp({
    binding: "prefix",
    reply: [
      {
        reasoning: "Look at the file, then decide.",
        text: "Reading. 🧵",
        calls: [{ name: "read", args: { path: "a/very/long/path.ts" } }],
      },
      "Done.",
      "Fine.",
    ],
  });
  const base = {
    model: MODEL,
    max_tokens: 4_000,
    thinking: { type: "enabled" as const, budget_tokens: 2_000 },
    tools: TOOLS,
  };
  const events: string[] = [];
  const stream = client.messages.stream({ ...base, messages: [user("Go")] });
  stream.on("streamEvent", (event) => void events.push(event.type));
  const first = await stream.finalMessage();
  expect(events[0]).toBe("message_start");
  expect(events.slice(-2)).toEqual(["message_delta", "message_stop"]);
  expect(first.content.map((part) => part.type)).toEqual(["thinking", "text", "tool_use"]);
  expect(first.stop_reason).toBe("tool_use");
  const call = first.content[2] as Anthropic.ToolUseBlock;
  expect(call.input).toEqual({ path: "a/very/long/path.ts" });

  const ask = (messages: Message[]) => client.messages.create({ ...base, messages });
  await expect(ask([user("Go"), assistant(first.content.slice(1)), result(call.id)])).rejects.toThrow(
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block",
  );
  const [thinking, ...rest] = first.content as [Anthropic.ThinkingBlock, ...Anthropic.ContentBlock[]];
  await expect(
    ask([user("Go"), assistant([{ ...thinking, thinking: "Other words." }, ...rest]), result(call.id)]),
  ).rejects.toThrow("cannot be modified");
  await expect(
    ask([user("Go"), assistant([{ ...thinking, signature: "nonsense" }, ...rest]), result(call.id)]),
  ).rejects.toThrow("Invalid `signature` in `thinking` block");
  await expect(ask([user("Go on"), assistant(first.content), result(call.id)])).rejects.toThrow(
    "prefix_binding_mismatch",
  );
  expect((await ask([user("Go"), assistant(first.content), result(call.id)])).content.at(-1)).toEqual({
    type: "text",
    text: "Done.",
  });
  const later = [user("Go"), assistant(first.content), result(call.id), assistant("Done."), user("And now?")];
  expect((await ask(later)).stop_reason).toBe("end_turn");
});

test("a mismatch may be dropped, with the beta switch and only with it", async () => {
  const { client } = await setUp({ reply: [{ text: "Hi." }, "Fine."], binding: "prefix" });
  const thinking = { type: "enabled", budget_tokens: 1_024 } as const;
  const first = await client.messages.create({
    model: MODEL,
    max_tokens: 2_000,
    thinking,
    messages: [user("Hello")],
  });
  const messages = [user("Another start"), assistant(first.content), user("Go on")];
  const body = {
    model: MODEL,
    max_tokens: 2_000,
    messages,
    thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: "drop_block" as const } },
  };
  await expect(client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming)).rejects.toThrow(
    "prefix_binding_mismatch",
  );
  const answer = await client.beta.messages.create({
    ...body,
    messages: messages as Anthropic.Beta.BetaMessageParam[],
    betas: ["thinking-binding-controls-2026-08-01"],
  });
  expect(answer.input_transformations).toEqual([
    { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
  ]);
});

test("system messages among the others: only of newer models, and only where an answer follows", async () => {
  const { provider } = await setUp();
  const ask = async (model: string, ...roles: string[]) => {
    const messages = roles.map((role) => ({ role, content: `I am ${role}.` }));
    const body = JSON.stringify({ model, max_tokens: 10, messages });
    return (await fetch(`${provider.url}/v1/messages`, { method: "POST", body })).status;
  };
  expect(await ask("claude-sonnet-4-5", "user", "system")).toBe(400);
  expect(await ask("claude-opus-5", "user", "system")).toBe(200);
  expect(await ask("claude-opus-5", "user", "system", "assistant", "user")).toBe(200);
  expect(await ask("claude-opus-5", "system", "user")).toBe(400);
  expect(await ask("claude-opus-5", "user", "system", "user")).toBe(400);
  expect(await ask("claude-opus-5", "user", "assistant", "system")).toBe(400);
});

test("counts tokens, lists models", async () => {
  const { client, provider } = await setUp({ models: ["claude-x"] });
  const { input_tokens } = await client.messages.countTokens({ model: MODEL, messages: [user("Hello you")] });
  expect(input_tokens).toBe(7);
  expect(provider.requests).toEqual([]);
  expect(provider.otherRequests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/messages/count_tokens",
  ]);
  await expect(client.messages.countTokens({ model: MODEL, messages: [] })).rejects.toThrow(
    "at least one message",
  );
  expect((await client.models.list()).data.map((model) => model.id)).toEqual(["claude-x"]);
});

describe("refuses what Anthropic refuses, in its words", () => {
  const call = { type: "tool_use" as const, id: "toolu_1", name: "read", input: {} };
  const marked = (text: string, ttl?: "5m" | "1h") => ({
    type: "text" as const,
    text,
    cache_control: { type: "ephemeral" as const, ...(ttl === undefined ? {} : { ttl }) },
  });
  test.each<[string, object, string]>([
    ["no messages", { messages: [] }, "messages: at least one message is required"],
    ["the assistant first", { messages: [assistant("Hi")] }, 'first message must use the "user" role'],
    [
      "a system message",
      { messages: [user("x"), { role: "system", content: "y" }] },
      'Unexpected role "system"',
    ],
    [
      "an empty text",
      { messages: [user([{ type: "text", text: "" }])] },
      "text content blocks must be non-empty",
    ],
    ["blanks alone", { messages: [user(" \n ")] }, "must contain non-whitespace text"],
    ["no content", { messages: [user([])] }, "messages.0: all messages must have non-empty content"],
    [
      "an open call",
      { messages: [user("x"), assistant([call]), user("y")] },
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.",
    ],
    [
      "a call at the end",
      { messages: [user("x"), assistant([call])] },
      "without `tool_result` blocks immediately after",
    ],
    [
      "a result without its call",
      { messages: [user("x"), assistant("y"), result("toolu_1")] },
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.",
    ],
    [
      "a result behind words",
      {
        messages: [
          user("x"),
          assistant([call]),
          user([
            { type: "text", text: "first" },
            { type: "tool_result", tool_use_id: "toolu_1", content: "y" },
          ]),
        ],
      },
      "without `tool_result` blocks immediately after",
    ],
    [
      "the same result twice",
      {
        messages: [
          user("x"),
          assistant([call]),
          user([
            { type: "tool_result", tool_use_id: "toolu_1", content: "y" },
            { type: "tool_result", tool_use_id: "toolu_1", content: "z" },
          ]),
        ],
      },
      "each tool_use must have a single result",
    ],
    [
      "a choice without tools",
      { tools: undefined, tool_choice: { type: "auto" } },
      "tool_choice may only be specified while providing tools",
    ],
    [
      "a cap too large",
      { max_tokens: 100_000 },
      "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for",
    ],
    ["a cap of nothing", { max_tokens: 0 }, "max_tokens: Input should be greater than or equal to 1"],
    [
      "a cap within the thinking budget",
      { max_tokens: 1_500, thinking: { type: "enabled", budget_tokens: 1_500 } },
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ],
    [
      "a temperature with thinking",
      { max_tokens: 3_000, temperature: 0, thinking: { type: "enabled", budget_tokens: 1_500 } },
      "`temperature` may only be set to 1 when thinking is enabled",
    ],
    [
      "five breakpoints",
      { messages: [user(["a", "b", "c", "d", "e"].map((text) => marked(text)))] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "an hour behind five minutes",
      { messages: [user([marked("a"), marked("b", "1h")])] },
      "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    ],
    [
      "words at the end with blanks",
      { messages: [user("x"), assistant("y ")] },
      "final assistant content cannot end with trailing whitespace",
    ],
  ])("%s", async (_, change, words) => {
    const { client, provider } = await setUp();
    const body = { model: MODEL, max_tokens: 100, messages: [user("Hello")], tools: TOOLS, ...change };
    // The client refuses large caps by itself unless it is told how long to wait.
    const sent = client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming, {
      timeout: 600_000,
    });
    await expect(sent).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    expect(provider.requests[0]).toMatchObject({ status: 400, error: expect.stringContaining(words) });
  });

  test("the same role twice in a row, only where it is told to", async () => {
    const messages = [user("x"), user("y")];
    const strict = await setUp({ alternation: "strict" });
    await expect(strict.client.messages.create({ model: MODEL, max_tokens: 9, messages })).rejects.toThrow(
      "roles must alternate between",
    );
    const merged = await setUp();
    await merged.client.messages.create({ model: MODEL, max_tokens: 9, messages });
  });
});
