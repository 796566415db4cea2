import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readEvents } from "../../src/apis/shared/events.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { compactJson, pythonHeaders, pythonResponse } from "./python-openai-shapes.ts";

/** The helpers that put streams together know which events may come, and in which order; they throw at any other. */

/** Less than the talk below. */
const WINDOW = 5_000;

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  provider = await startFakeProvider({ window: 1_000_000, reply: "Understood.", unknownFields: "ignore" });
  gateway = await startGateway({ ...upstreamAt(provider.url), window: WINDOW, summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const talk = Array.from({ length: 40 }, (_, n) => ({
  role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `Part ${n}: ${"we looked at this and that once more. ".repeat(12)}`,
}));
const asked = [...talk, { role: "user" as const, content: "And now?" }];

/** Two major versions of one package; what is used here is the same in both. */
const PACKAGES = ["openai", "openai-7"];

describe.each(PACKAGES)("%s", (name) => {
  let client: OpenAI;
  beforeEach(async () => {
    const { default: Client } = (await import(name)) as { default: typeof OpenAI };
    client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: "k", maxRetries: 0 });
  });

  it("responses.stream: an answer that begins with a compaction", async () => {
    const stream = client.responses.stream({
      model: "gpt-4o",
      input: asked,
      context_management: [{ type: "compaction", compact_threshold: 1_000 }],
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    const { output, output_text } = await stream.finalResponse();
    expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    expect(output_text).toBe("Understood.");
    expect(types.at(-1)).toBe("response.completed");
  });

  it("responses.stream: calls behind a compaction", async () => {
    provider.setReply({ text: "Let me see.", calls: [{ name: "look", args: { at: 1 } }] });
    const stream = client.responses.stream({
      model: "gpt-4o",
      input: asked,
      tools: [{ type: "function", name: "look", parameters: { type: "object" }, strict: false }],
      context_management: [{ type: "compaction", compact_threshold: 1_000 }],
    });
    const { output } = await stream.finalResponse();
    expect(output.map(({ type }) => type)).toEqual(["compaction", "message", "function_call"]);
    expect(output[2]).toMatchObject({ name: "look", arguments: '{"at":1}' });
  });

  it("responses.stream: an answer that is nothing but a compaction", async () => {
    const stream = client.responses.stream({
      model: "gpt-4o",
      input: [...talk, { type: "compaction_trigger" }] as unknown as OpenAI.Responses.ResponseInput,
    });
    const { output, status } = await stream.finalResponse();
    expect(output.map(({ type }) => type)).toEqual(["compaction"]);
    expect(status).toBe("completed");
  });

  it("responses.stream: a view, with its usage", async () => {
    const stream = client.responses.stream({ model: "gpt-4o", input: asked });
    const { output_text, usage } = await stream.finalResponse();
    expect(output_text).toBe("Understood.");
    expect(usage).toBeDefined();
  });

  it("chat.completions.stream: a view, with its usage", async () => {
    const stream = client.chat.completions.stream({
      model: "gpt-4o",
      messages: asked,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]!.message.content).toBe("Understood.");
    expect(usage).toBeDefined();
  });

  it("chat.completions.stream and responses.stream: our own refusal is an error of the API", async () => {
    const long = [{ role: "user" as const, content: "long words ".repeat(20_000) }];
    const refusal = { status: 400, code: "context_length_exceeded", type: "invalid_request_error" };
    const chat = client.chat.completions.stream({ model: "gpt-4o", messages: long });
    await expect(chat.finalChatCompletion()).rejects.toMatchObject(refusal);
    const response = client.responses.stream({ model: "gpt-4o", input: long });
    await expect(response.finalResponse()).rejects.toMatchObject(refusal);
  });
});

describe("openai of Python", () => {
  it.each([
    {
      name: "begins with a compaction",
      more: { context_management: [{ type: "compaction", compact_threshold: 1_000 }] },
    },
    { name: "is nothing but a compaction", more: { input: [...talk, { type: "compaction_trigger" }] } },
  ])("responses.stream: an answer that $name", async ({ more }) => {
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: pythonHeaders(),
      body: compactJson({ model: "gpt-4o", input: asked, stream: true, ...more }),
    });
    const { snapshot, completed } = pythonResponse(readEvents(await response.text()));
    expect(snapshot).toEqual(completed);
    expect(snapshot[0]).toBe("compaction");
  });
});

describe("@anthropic-ai/sdk", () => {
  const open = () => new Anthropic({ baseURL: gateway.url, apiKey: "k", maxRetries: 0 });
  const request = { model: "claude-opus-5", max_tokens: 1_000, messages: asked };
  const betas = ["compact-2026-01-12"];
  const compact = (pause: boolean) => ({
    edits: [
      {
        type: "compact_20260112" as const,
        trigger: { type: "input_tokens" as const, value: 1_000 },
        pause_after_compaction: pause,
      },
    ],
  });

  it("beta.messages.stream: an answer that begins with a compaction", async () => {
    const message = await open()
      .beta.messages.stream({ ...request, betas, context_management: compact(false) })
      .finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(["compaction", "text"]);
    expect(message.stop_reason).toBe("end_turn");
    checkFields(message);
  });

  it("beta.messages.stream and create: an answer that is nothing but a compaction", async () => {
    const asks = { ...request, betas, context_management: compact(true) };
    const streamed = await open().beta.messages.stream(asks).finalMessage();
    const plain = await open().beta.messages.create(asks);
    for (const message of [streamed, plain]) {
      expect(message.content.map(({ type }) => type)).toEqual(["compaction"]);
      expect(message.stop_reason).toBe("compaction");
      checkFields(message);
    }
  });

  it("countTokens: every field of the type", async () => {
    const { max_tokens: _, ...counted } = request;
    const fields: Record<keyof Anthropic.Beta.BetaMessageTokensCount, unknown> = {
      context_management: null,
      input_tokens: expect.any(Number),
    };
    expect(await open().beta.messages.countTokens(counted)).toEqual(fields);
    const plain: Record<keyof Anthropic.MessageTokensCount, unknown> = { input_tokens: expect.any(Number) };
    expect(await open().messages.countTokens(counted)).toEqual(plain);
  });

  it("messages.stream: a view, with its usage", async () => {
    const { content, usage } = await open().messages.stream(request).finalMessage();
    expect(content).toMatchObject([{ type: "text", text: "Understood." }]);
    expect(usage).toBeDefined();
  });

  it("messages.stream: our own refusal is an error of the API, with the id of its request", async () => {
    const messages = [{ role: "user" as const, content: "long words ".repeat(20_000) }];
    const refused = open()
      .messages.stream({ ...request, messages })
      .finalMessage();
    const error = await refused.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    const { error: body, requestID } = error as InstanceType<typeof Anthropic.BadRequestError>;
    const fields: Record<keyof Anthropic.ErrorResponse, unknown> = {
      type: "error",
      error: expect.objectContaining({ type: "invalid_request_error" }),
      request_id: expect.stringMatching(/^req_\w+$/),
    };
    expect(body).toMatchObject(fields);
    expect(requestID).toBe((body as Anthropic.ErrorResponse).request_id);
  });
});

/** Every field of the SDK's types, which say by themselves when one is missing here. */
const MESSAGE: Record<Exclude<keyof Anthropic.Beta.BetaMessage, "input_transformations">, true> = {
  id: true,
  container: true,
  content: true,
  context_management: true,
  diagnostics: true,
  model: true,
  role: true,
  stop_details: true,
  stop_reason: true,
  stop_sequence: true,
  type: true,
  usage: true,
};
const USAGE: Record<keyof Anthropic.Beta.BetaUsage, true> = {
  cache_creation: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  fallback_credit: true,
  inference_geo: true,
  input_tokens: true,
  iterations: true,
  output_tokens: true,
  output_tokens_details: true,
  server_tool_use: true,
  service_tier: true,
  speed: true,
};
const ITERATION: Record<keyof Anthropic.Beta.BetaCompactionIterationUsage, true> = {
  cache_creation: true,
  cache_creation_input_tokens: true,
  cache_read_input_tokens: true,
  input_tokens: true,
  output_tokens: true,
  type: true,
};

/** What precis itself made has every field that a typed client reads; what it passes on has the upstream's. */
function checkFields(message: Anthropic.Beta.BetaMessage): void {
  const isOurs = message.stop_reason === "compaction";
  if (isOurs) {
    expect(Object.keys(message)).toEqual(expect.arrayContaining(Object.keys(MESSAGE)));
    expect(Object.keys(message.usage)).toEqual(expect.arrayContaining(Object.keys(USAGE)));
  }
  const [compaction] = message.usage.iterations ?? [];
  expect(Object.keys(compaction ?? {}).sort()).toEqual(Object.keys(ITERATION).sort());
}
