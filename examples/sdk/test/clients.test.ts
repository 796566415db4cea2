import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type ClientOptions, precisFetch, withPrecis } from "precis/clients";
import { describe, expect, test } from "vitest";
import { READ_TOOL, REQUEST, readFile, resultOf, STEPS, SYSTEM, startTask, WINDOW } from "./long-task.ts";

const KEY = "sk-test";

/** The loop that everyone writes around Chat Completions. */
async function chatLoop(client: OpenAI): Promise<string> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: REQUEST },
  ];
  for (;;) {
    const { choices } = await client.chat.completions.create({
      model: "gpt-4o",
      messages,
      max_completion_tokens: 4_000,
      tools: [{ type: "function", function: READ_TOOL }],
    });
    const { message } = choices[0]!;
    messages.push(message);
    if (!message.tool_calls) return message.content ?? "";
    for (const call of message.tool_calls) {
      if (call.type !== "function") continue;
      const { path } = JSON.parse(call.function.arguments);
      messages.push({ role: "tool", tool_call_id: call.id, content: readFile(path) });
    }
  }
}

/** The same around the Responses API, streamed. */
async function responsesLoop(client: OpenAI): Promise<string> {
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: REQUEST }];
  for (;;) {
    const response = await client.responses
      .stream({
        model: "gpt-4o",
        instructions: SYSTEM,
        input,
        store: false,
        tools: [{ type: "function", strict: true, ...READ_TOOL }],
      })
      .finalResponse();
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return response.output_text;
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
    for (const { call_id, arguments: args } of calls)
      input.push({ type: "function_call_output", call_id, output: readFile(JSON.parse(args).path) });
  }
}

/** The same around Anthropic's Messages, streamed. */
async function messagesLoop(client: Anthropic): Promise<string> {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: REQUEST }];
  for (;;) {
    const message = await client.messages
      .stream({
        model: "claude-sonnet-5",
        system: SYSTEM,
        messages,
        max_tokens: 4_000,
        tools: [
          { name: READ_TOOL.name, description: READ_TOOL.description, input_schema: READ_TOOL.parameters },
        ],
      })
      .finalMessage();
    messages.push({ role: "assistant", content: message.content });
    const results: Anthropic.ToolResultBlockParam[] = message.content.flatMap((block) =>
      block.type === "tool_use"
        ? [
            {
              type: "tool_result",
              tool_use_id: block.id,
              content: readFile((block.input as { path: string }).path),
            },
          ]
        : [],
    );
    if (results.length === 0)
      return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({ role: "user", content: results });
  }
}

const openai = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY });
const anthropic = (url: string) => new Anthropic({ baseURL: url, apiKey: KEY });

const LOOPS: readonly [string, (url: string, withIt: boolean) => Promise<string>][] = [
  [
    "OpenAI, Chat Completions",
    (url, withIt) => chatLoop(withIt ? withPrecis(openai(url), { window: WINDOW }) : openai(url)),
  ],
  [
    "OpenAI, Responses",
    (url, withIt) => responsesLoop(withIt ? withPrecis(openai(url), { window: WINDOW }) : openai(url)),
  ],
  [
    "Anthropic, Messages",
    (url, withIt) => messagesLoop(withIt ? withPrecis(anthropic(url), { window: WINDOW }) : anthropic(url)),
  ],
];

describe.each(LOOPS)("%s", (_name, loop) => {
  test("the client alone runs over the window and stops", async () => {
    const provider = await startTask();
    await expect(loop(provider.url, false)).rejects.toThrow(/context|too long|exceed/);
    expect(resultOf(provider).refused).toBe(1);
    expect(provider.requests.length).toBeLessThan(STEPS);
  });

  test("a client with precis reads everything and forgets nothing", async () => {
    const provider = await startTask();
    expect(await loop(provider.url, true)).toBe("All parts are read.");
    expect(resultOf(provider)).toMatchObject({ requests: STEPS + 1, refused: 0, lost: [] });
  });
});

test("a window that is smaller than anyone said is found out and fitted to", async () => {
  const provider = await startTask();
  expect(await chatLoop(withPrecis(openai(provider.url), { window: 14_000 }))).toBe("All parts are read.");
  const { refused, lost } = resultOf(provider);
  expect(refused).toBeGreaterThan(0);
  expect(lost).toEqual([]);
});

describe.each([
  {
    endpoint: "/v1/messages/count_tokens",
    loop: (url: string, options: ClientOptions) => messagesLoop(withPrecis(anthropic(url), options)),
  },
  {
    endpoint: "/v1/responses/input_tokens",
    loop: (url: string, options: ClientOptions) => responsesLoop(withPrecis(openai(url), options)),
  },
])("a provider that counts half as much again as the tokenizer ($endpoint)", ({ endpoint, loop }) => {
  const factor = 1.5;

  test("is asked before a view is sent, and refuses nothing", async () => {
    const provider = await startTask({ factor });
    expect(await loop(provider.url, { window: WINDOW, count: "provider" })).toBe("All parts are read.");
    const counted = provider.otherRequests.filter(({ path }) => path === endpoint);
    expect(counted.length).toBeGreaterThan(0);
    expect(provider.otherRequests).toHaveLength(counted.length);
    expect(resultOf(provider)).toMatchObject({ refused: 0, lost: [] });
  });

  test("is asked nothing where the tokenizer counts", async () => {
    const provider = await startTask({ factor });
    expect(await loop(provider.url, { window: WINDOW })).toBe("All parts are read.");
    expect(provider.otherRequests).toEqual([]);
  });
});

test("what can't fit is refused in words, not as a broken connection", async () => {
  const provider = await startTask();
  const client = withPrecis(openai(provider.url), { window: 1_500 });
  await expect(chatLoop(client)).rejects.toThrow(/budget|fit/i);
  expect(provider.requests).toHaveLength(0);
});

test("other requests, and the client itself, stay as they are", async () => {
  const provider = await startTask();
  const client = openai(provider.url);
  const fitted = withPrecis(client, { window: WINDOW });
  expect(fitted).not.toBe(client);
  expect((await fitted.models.list()).data.length).toBeGreaterThan(0);
  const answer = await fetchOf(provider.url)("/v1/models");
  expect(answer.status).toBe(200);
});

/** Anything that takes a `fetch` can be given this one. */
const fetchOf = (url: string) => (path: string) => precisFetch({ window: WINDOW })(new URL(path, url));
