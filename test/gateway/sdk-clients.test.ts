import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { fileText, longTask } from "./long-task.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

/** A window that the clients know nothing of. */
const WINDOW = 12_000;
const ROUNDS = byProof({ sample: 16, more: 80, all: 200 });
const SYSTEM = `You are a careful engineer. ${"Read every file before you answer. ".repeat(30)}`;
const QUESTION = "Read all the files of the project and tell me when you are done. The ticket is PRE-4711.";
const PARAMETERS = { type: "object" as const, properties: { path: { type: "string" } }, required: ["path"] };

let provider: FakeProvider;
let serve: ServeHere;

afterEach(async () => {
  await serve.stop();
  await provider.close();
});

async function start(): Promise<void> {
  provider = await startFakeProvider({ window: WINDOW, reply: longTask(ROUNDS).reply });
  serve = await serveHere(["--upstream", provider.url, "--window", String(WINDOW)]);
}

function expectNoRefusals(): void {
  const refused = provider.requests.filter(({ status }) => status !== 200);
  expect(refused.map(({ error, tokens }) => `${error} (${tokens.input})`)).toEqual([]);
  for (const { tokens } of provider.requests) expect(tokens.input).toBeLessThanOrEqual(WINDOW);
  // The task alone is many windows long: without precis it can't be finished.
  const answers = provider.requests.filter(({ tools }) => tools.length > 0);
  expect(answers.length).toBeGreaterThan(ROUNDS);
  for (const { messages } of answers) {
    expect(messages.some(({ text }) => text.includes("Read every file before you answer."))).toBe(true);
    expect(messages.some(({ text }) => text.includes("PRE-4711"))).toBe(true);
  }
}

describe(`${ROUNDS} tool rounds in a window that the client doesn't know`, () => {
  it("openai: chat completions, streamed", async () => {
    await start();
    const client = new OpenAI({ baseURL: `${serve.url}/v1`, apiKey: "client-key", maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: SYSTEM },
      { role: "user", content: QUESTION },
    ];
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: "function",
        function: { name: "read_file", description: "Reads a file", parameters: PARAMETERS },
      },
    ];
    let last = "";
    for (let round = 0; round <= ROUNDS; round++) {
      const stream = client.chat.completions.stream({
        model: "gpt-4o",
        messages,
        tools,
        stream_options: { include_usage: true },
      });
      const { choices } = await stream.finalChatCompletion();
      const { message } = choices[0]!;
      messages.push(message);
      last = message.content ?? "";
      for (const call of message.tool_calls ?? []) {
        if (call.type !== "function") continue;
        const { path } = JSON.parse(call.function.arguments) as { path: string };
        messages.push({ role: "tool", tool_call_id: call.id, content: fileText(path) });
      }
    }
    expect(last).toContain("TASK-DONE");
    expectNoRefusals();
  });

  it("openai: responses", async () => {
    await start();
    const client = new OpenAI({ baseURL: `${serve.url}/v1`, apiKey: "client-key", maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: QUESTION }];
    let last = "";
    for (let round = 0; round <= ROUNDS; round++) {
      const response = await client.responses.create({
        model: "gpt-5",
        instructions: SYSTEM,
        input,
        store: false,
        tools: [
          {
            type: "function",
            name: "read_file",
            description: "Reads a file",
            parameters: PARAMETERS,
            strict: false,
          },
        ],
      });
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
      last = response.output_text;
      for (const item of response.output) {
        if (item.type !== "function_call") continue;
        const { path } = JSON.parse(item.arguments) as { path: string };
        input.push({ type: "function_call_output", call_id: item.call_id, output: fileText(path) });
      }
    }
    expect(last).toContain("TASK-DONE");
    expectNoRefusals();
  });

  it("@anthropic-ai/sdk: messages, streamed", async () => {
    await start();
    const client = new Anthropic({ baseURL: serve.url, apiKey: "client-key", maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
    let last = "";
    for (let round = 0; round <= ROUNDS; round++) {
      const stream = client.messages.stream({
        model: "claude-opus-5",
        max_tokens: 1_024,
        system: [{ type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } }],
        tools: [{ name: "read_file", description: "Reads a file", input_schema: PARAMETERS }],
        messages,
      });
      const message = await stream.finalMessage();
      messages.push({ role: "assistant", content: message.content });
      const results: Anthropic.ToolResultBlockParam[] = [];
      for (const part of message.content) {
        if (part.type === "text") last = part.text;
        if (part.type !== "tool_use") continue;
        const { path } = part.input as { path: string };
        results.push({ type: "tool_result", tool_use_id: part.id, content: fileText(path) });
      }
      if (results.length > 0) messages.push({ role: "user", content: results });
    }
    expect(last).toContain("TASK-DONE");
    expectNoRefusals();
  });
});
