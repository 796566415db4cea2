import { APICallError } from "ai";
import { MockLanguageModelV3, MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { ConfigError } from "../core/errors.ts";
import type { ModelRequest } from "../core/types.ts";
import { type AiSdkLanguageModel, aiSdkModel } from "./ai-sdk.ts";

const REQUEST: ModelRequest = {
  name: "summarize-full",
  system: "You summarize.",
  messages: [{ role: "user", text: "Summarize this." }],
  cap: 500,
  temperature: 0.3,
};
const TEXT = [{ type: "text" as const, text: "A summary." }];
const NEW_USAGE = {
  inputTokens: { total: 90, noCache: 10, cacheRead: 70, cacheWrite: 10 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};

/** The AI SDK no longer has a mock of the oldest specification. */
const V2 = {
  specificationVersion: "v2",
  provider: "p",
  modelId: "v2",
  doGenerateCalls: [] as unknown[],
  async doGenerate(options: unknown) {
    this.doGenerateCalls.push(options);
    const usage = { inputTokens: 90, outputTokens: 3, totalTokens: 93, cachedInputTokens: 70 };
    return { content: TEXT, finishReason: "stop", usage, warnings: [] };
  },
};
const newer = {
  content: TEXT,
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage: NEW_USAGE,
  warnings: [],
};
const V3 = new MockLanguageModelV3({ modelId: "v3", doGenerate: newer });
const V4 = new MockLanguageModelV4({ modelId: "v4", doGenerate: newer });

test.each<[string, AiSdkLanguageModel & { doGenerateCalls: unknown[] }]>([
  ["V2", V2],
  ["V3", V3],
  ["V4", V4],
])("asks a language model of specification %s", async (_, languageModel) => {
  const model = aiSdkModel(languageModel, { window: 9_000 });
  expect(model).toMatchObject({ id: languageModel.modelId, window: 9_000, continues: "ai-sdk" });
  const reply = await model.complete(REQUEST);
  expect(reply).toMatchObject({
    text: "A summary.",
    stop: "end",
    usage: { input: 90, output: 3, cacheRead: 70 },
  });
  expect(languageModel.doGenerateCalls[0]).toMatchObject({
    prompt: [
      { role: "system", content: "You summarize." },
      { role: "user", content: [{ type: "text", text: "Summarize this." }] },
    ],
    maxOutputTokens: 500,
    temperature: 0.3,
    abortSignal: expect.any(AbortSignal),
  });
});

test.each([
  ["length", [], "length"],
  ["content-filter", [], "refusal"],
  ["tool-calls", [{ type: "tool-call", toolCallId: "1", toolName: "read", input: "{}" }], "tool-call"],
  ["error", [], "other"],
  ["interrupted", TEXT, "other"],
])("%s stops as %s", async (unified, content, stop) => {
  const model = aiSdkModel({
    specificationVersion: "v4",
    provider: "p",
    modelId: "m",
    doGenerate: async () => ({ content, finishReason: { unified }, usage: {} }),
  });
  expect(await model.complete(REQUEST)).toMatchObject({ stop, usage: { input: 0 } });
});

test("continues the call that a middleware sees", async () => {
  const languageModel = new MockLanguageModelV3({ doGenerate: newer });
  const prompt = [
    { role: "system", content: "Be kind." },
    { role: "user", content: [{ type: "text", text: "Go" }] },
  ];
  const given = {
    prompt,
    tools: [{ type: "function", name: "read", inputSchema: {} }],
    toolChoice: { type: "auto" },
    maxOutputTokens: 9,
  };
  await aiSdkModel(languageModel).complete({ ...REQUEST, continues: given });
  expect(languageModel.doGenerateCalls[0]).toEqual({
    ...given,
    prompt: [...prompt, { role: "user", content: [{ type: "text", text: "Summarize this." }] }],
    maxOutputTokens: 500,
    abortSignal: expect.any(AbortSignal),
  });
  await expect(
    aiSdkModel(languageModel).complete({ ...REQUEST, continues: { messages: [] } }),
  ).rejects.toMatchObject({
    failure: "bad-request",
  });
});

test("continues a call without what shapes its answer", async () => {
  const languageModel = new MockLanguageModelV3({ doGenerate: newer });
  const prompt = [{ role: "user", content: [{ type: "text", text: "Go" }] }];
  const kept = { tools: [], temperature: 0.5, providerOptions: { openai: { promptCacheKey: "k" } } };
  const shaping = {
    stopSequences: ["\n"],
    responseFormat: { type: "json" },
    toolChoice: { type: "required" },
    frequencyPenalty: 1,
  };
  await aiSdkModel(languageModel).complete({ ...REQUEST, continues: { prompt, ...kept, ...shaping } });
  const { prompt: _, abortSignal: __, ...fields } = languageModel.doGenerateCalls[0]!;
  expect(fields).toEqual({ ...kept, maxOutputTokens: 500 });
});

/** A model that fails with each error in turn, then answers. */
function failing(...errors: unknown[]): AiSdkLanguageModel & { calls: number } {
  return {
    specificationVersion: "v3",
    provider: "p",
    modelId: "m",
    calls: 0,
    async doGenerate() {
      const error = errors[this.calls++];
      if (error !== undefined) throw error;
      return newer;
    },
  };
}

const callError = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "failed",
    url: "https://x",
    requestBodyValues: { secret: "conversation" },
    statusCode,
    responseBody,
    responseHeaders,
  });

test("tells the AI SDK's errors in our words and retries what may pass", async () => {
  const retry = { baseMs: 1, maxMs: 1 };
  const busy = failing(callError(429, "", { "Retry-After-Ms": "1" }), callError(503, ""));
  expect((await aiSdkModel(busy, { retry }).complete(REQUEST)).text).toBe("A summary.");
  expect(busy.calls).toBe(3);

  const long = failing(callError(400, '{"error":{"message":"prompt is too long: 9 tokens > 5 maximum"}}'));
  await expect(aiSdkModel(long, { retry }).complete(REQUEST)).rejects.toMatchObject({
    failure: "too-long",
    status: 400,
  });
  expect(long.calls).toBe(1);

  const keyless = failing(Object.assign(new Error("API key is missing"), { name: "AI_LoadAPIKeyError" }));
  await expect(aiSdkModel(keyless, { retry }).complete(REQUEST)).rejects.toMatchObject({ failure: "auth" });
});

test("a language model that ignores its signal doesn't keep the caller waiting", async () => {
  const deaf = { ...failing(), doGenerate: () => new Promise(() => {}) };
  const model = aiSdkModel(deaf, { retry: { deadlineMs: 30 } });
  await expect(model.complete(REQUEST)).rejects.toMatchObject({ failure: "timeout" });
});

test("a name is not a model", () => {
  for (const given of ["openai/gpt-4o", undefined, {}])
    expect(() => aiSdkModel(given as unknown as AiSdkLanguageModel)).toThrow(ConfigError);
});
