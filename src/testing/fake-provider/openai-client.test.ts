import OpenAI from "openai";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { type FakeProvider, type FakeProviderOptions, startFakeProvider } from "./index.ts";

const running: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((provider) => provider.close()));
});

async function setUp(options: FakeProviderOptions = {}) {
  const provider = await startFakeProvider(options);
  running.push(provider);
  const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "sk-test", maxRetries: 0 });
  return { provider, client };
}

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: "function",
    function: { name: "read", description: "Reads a file", parameters: { type: "object" } },
  },
];
const user = (content: string) => ({ role: "user" as const, content });

describe("the official client, Chat Completions", () => {
  test("a text", async () => {
    const { client, provider } = await setUp({ reply: (request) => `You said: ${request.lastUser}` });
    const answer = await client.chat.completions.create({ model: "gpt-4o", messages: [user("Hello")] });
    expect(answer.choices[0]?.message.content).toBe("You said: Hello");
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 4, total_tokens: 10 });
    expect(provider.requests[0]).toMatchObject({
      api: "chat",
      status: 200,
      streamed: false,
      model: "gpt-4o",
    });
  });

  test("a stream with reasoning, text and parallel tool calls", async () => {
    const { client } = await setUp({
      reply: {
        reasoning: "I should look at both files before I answer anything.",
        text: "I'll read them: 🧵 one after the other, and then the rest.",
        calls: [
          { name: "read", args: { path: "a-rather-long-name-of-a-file.ts" } },
          { name: "read", args: { path: "b.ts" } },
        ],
      },
    });
    const stream = client.chat.completions.stream({
      model: "gpt-4o",
      messages: [user("Go")],
      tools: TOOLS,
      stream_options: { include_usage: true },
    });
    let text = "";
    let reasoning = "";
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
      text += delta?.content ?? "";
      reasoning += delta?.reasoning_content ?? "";
    }
    const final = await stream.finalChatCompletion();
    expect(text).toBe("I'll read them: 🧵 one after the other, and then the rest.");
    expect(reasoning).toBe("I should look at both files before I answer anything.");
    expect(final.choices[0]?.finish_reason).toBe("tool_calls");
    expect(
      final.choices[0]?.message.tool_calls?.map(
        (call) => call.type === "function" && call.function.arguments,
      ),
    ).toEqual(['{"path":"a-rather-long-name-of-a-file.ts"}', '{"path":"b.ts"}']);
    expect(final.usage?.completion_tokens_details?.reasoning_tokens).toBe(14);
  });

  test("a whole round, and the refusals of a broken one", async () => {
    const { client, provider } = await setUp({ reply: [{ calls: [{ name: "read", args: {} }] }, "Done."] });
    const first = await client.chat.completions.create({
      model: "gpt-4o",
      messages: [user("Go")],
      tools: TOOLS,
    });
    const message = first.choices[0]!.message;
    const id = message.tool_calls![0]!.id;
    const result = { role: "tool" as const, tool_call_id: id, content: "text" };
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      client.chat.completions.create({ model: "gpt-4o", messages, tools: TOOLS });
    await expect(ask([user("Go"), message, user("and?")])).rejects.toThrow(
      `The following tool_call_ids did not have response messages: ${id}`,
    );
    await expect(ask([user("Go"), message])).rejects.toThrow("did not have response messages");
    await expect(ask([user("Go"), result])).rejects.toThrow(
      "must be a response to a preceeding message with 'tool_calls'",
    );
    await expect(ask([user("Go"), message, user("wait"), result])).rejects.toThrow(
      "did not have response messages",
    );
    const last = await ask([user("Go"), message, result]);
    expect(last.choices[0]?.message.content).toBe("Done.");
    expect(provider.requests.map((request) => request.status)).toEqual([200, 400, 400, 400, 400, 200]);
  });

  test("a refusal, a content filter, an answer that is cut off", async () => {
    const { client } = await setUp({
      reply: [
        { text: "I can't.", stop: "refusal" },
        { text: "x", stop: "content-filter" },
        "word ".repeat(100),
      ],
    });
    const ask = () =>
      client.chat.completions.create({ model: "gpt-4o", messages: [user("Go")], max_tokens: 10 });
    expect((await ask()).choices[0]?.message).toMatchObject({ content: null, refusal: "I can't." });
    expect((await ask()).choices[0]?.finish_reason).toBe("content_filter");
    const cut = await ask();
    expect(cut.choices[0]?.finish_reason).toBe("length");
    expect(cut.usage?.completion_tokens).toBe(10);
  });
});

describe("the official client, Responses", () => {
  test("a text, and going on from a stored response", async () => {
    const { client, provider } = await setUp({ reply: (request) => `${request.messages.length}` });
    const first = await client.responses.create({
      model: "gpt-4o",
      instructions: "Be kind.",
      input: "Hello",
    });
    expect(first.output_text).toBe("2");
    const second = await client.responses.create({
      model: "gpt-4o",
      input: "More",
      previous_response_id: first.id,
    });
    expect(second.output_text).toBe("3");
    expect(provider.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
    await expect(
      client.responses.create({ model: "gpt-4o", input: "x", previous_response_id: "resp_no" }),
    ).rejects.toThrow("Previous response with id 'resp_no' not found.");
  });

  test("a stream with reasoning, text and a call, then its output", async () => {
    const { client } = await setUp({
      reply: [
        {
          reasoning: "Think first, then act on it.",
          text: "Reading now.",
          calls: [{ name: "read", args: { path: "x" } }],
        },
        "Done.",
        "never",
      ],
    });
    const tools: OpenAI.Responses.Tool[] = [
      { type: "function", name: "read", parameters: {}, strict: false },
    ];
    const stream = client.responses.stream({
      model: "gpt-5",
      input: [{ role: "user", content: "Go" }],
      tools,
    });
    const types: string[] = [];
    let args = "";
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.function_call_arguments.delta") args += event.delta;
    }
    expect(args).toBe('{"path":"x"}');
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(types.at(-1)).toBe("response.completed");
    const final = await stream.finalResponse();
    expect(final.output.map((item) => item.type)).toEqual(["reasoning", "message", "function_call"]);

    const [reasoning, message, call] = final.output as OpenAI.Responses.ResponseInputItem[];
    const output = {
      type: "function_call_output" as const,
      call_id: (final.output[2] as OpenAI.Responses.ResponseFunctionToolCall).call_id,
      output: "text",
    };
    const ask = (input: OpenAI.Responses.ResponseInputItem[]) =>
      client.responses.create({ model: "gpt-5", input: [{ role: "user", content: "Go" }, ...input], tools });
    await expect(ask([output])).rejects.toThrow(
      `No tool call found for function call output with call_id ${output.call_id}.`,
    );
    await expect(ask([reasoning!, message!, call!])).rejects.toThrow(
      `No tool output found for function call ${output.call_id}.`,
    );
    await expect(ask([reasoning!])).rejects.toThrow(
      "of type 'reasoning' was provided without its required following item.",
    );
    await expect(ask([call!, output])).rejects.toThrow(
      "was provided without its required 'reasoning' item: 'rs_",
    );
    expect((await ask([reasoning!, message!, call!, output])).output_text).toBe("Done.");
  });

  test("an answer that is cut off, and one that refuses", async () => {
    const { client } = await setUp({ reply: ["word ".repeat(200), { text: "No.", stop: "refusal" }] });
    const cut = await client.responses.create({ model: "gpt-4o", input: "x", max_output_tokens: 16 });
    expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    const refused = await client.responses.create({ model: "gpt-4o", input: "x" });
    expect(refused.output[0]).toMatchObject({ content: [{ type: "refusal", refusal: "No." }] });
  });
});

test("lists its models", async () => {
  const { client } = await setUp({ models: ["a", "b"] });
  expect((await client.models.list()).data.map((model) => model.id)).toEqual(["a", "b"]);
});

test("closing ends requests that hang", async () => {
  const provider = await startFakeProvider({ faults: ["never"] });
  let isClosed = false;
  onTestFinished(async () => void (isClosed || (await provider.close())));
  const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "x", maxRetries: 0 });
  const hung = client.chat.completions.create({ model: "gpt-4o", messages: [user("x")] });
  const ended = expect(hung).rejects.toThrow();
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await provider.close();
  isClosed = true;
  await ended;
});
