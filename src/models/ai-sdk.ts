import { type Json, listOf, obj, str } from "../apis/shared/fields.ts";
import { refusesTemperature } from "../apis/shared/model-traits.ts";
import { usageOf } from "../apis/shared/usage.ts";
import { defined } from "../core/collections.ts";
import { ConfigError, ModelError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import type { Model, ModelMessage, ModelReply, ModelRequest, StopReason, Usage } from "../core/types.ts";
import { failureOf } from "./shared/failure.ts";
import { redact } from "./shared/redact.ts";
import { createRetry, type RetryOptions } from "./shared/retry.ts";

/** Call options that shape the answer of the conversation's own call, which isn't the one that is asked for. */
const SHAPING = [
  "stopSequences",
  "responseFormat",
  "presencePenalty",
  "frequencyPenalty",
  "includeRawChunks",
];

/** What precis needs of an AI SDK language model (specification V2, V3 or V4): its name and `doGenerate`. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  // The three specifications' options have no common type; what is used of them and of the result is the same in all.
  doGenerate(options: never): PromiseLike<unknown>;
}

/** What `aiSdkModel` takes beside the model. */
export interface AiSdkModelOptions {
  /** Instead of the one that the request asks for. Left out where the model refuses it. */
  readonly temperature?: number;
  readonly retry?: RetryOptions;
  /** The model's context size, where the registry doesn't know it. */
  readonly window?: number;
}

/** Why an answer ended, in the words of the AI SDK. */
const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  length: "length",
  "content-filter": "refusal",
  "tool-calls": "tool-call",
};

/**
 * Any language model of the AI SDK (version 5, 6 or 7) as a summariser. `continues` takes the call options that a
 * middleware sees (`{ prompt, tools, … }`).
 *
 * @example
 * const languageModel = {
 *   specificationVersion: "v3",
 *   provider: "house",
 *   modelId: "house-model",
 *   doGenerate: async () => ({
 *     content: [{ type: "text", text: "A summary." }],
 *     finishReason: { unified: "stop" },
 *     usage: { inputTokens: { total: 9 }, outputTokens: { total: 3 } },
 *   }),
 * };
 * const model = aiSdkModel(languageModel);
 * const reply = await model.complete({ name: "try", messages: [{ role: "user", text: "Hello" }], cap: 100 });
 * reply.text; // "A summary."
 */
export function aiSdkModel(languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  if (!isRecord(languageModel) || typeof languageModel.doGenerate !== "function")
    throw new ConfigError({
      option: "languageModel",
      message: `${typeof languageModel === "string" ? "a model's name" : "this"} is not an AI SDK language model.`,
      fix: 'Give the object that a provider makes, like openai("gpt-4o-mini").',
    });
  const id = languageModel.modelId;
  const run = createRetry(options.retry);
  return {
    id,
    ...(options.window === undefined ? {} : { window: options.window }),
    continues: "ai-sdk",
    complete: (request) =>
      run(id, request.signal, async ({ signal }) => {
        const call = callOf(id, request, options);
        try {
          return read(id, await languageModel.doGenerate({ ...call, abortSignal: signal } as never));
        } catch (error) {
          throw error instanceof ModelError ? error : failed(id, error);
        }
      }),
  };
}

function callOf(id: string, request: ModelRequest, options: AiSdkModelOptions): Json {
  const added = request.messages.map(promptMessage);
  if (request.continues !== undefined) {
    const given = obj(request.continues);
    if (Array.isArray(given["prompt"]))
      return { ...continued(given), prompt: [...given["prompt"], ...added], maxOutputTokens: request.cap };
    throw new ModelError({
      model: id,
      failure: "bad-request",
      message: "`continues` has no `prompt` list.",
      fix: "Give the call options that a middleware sees, or leave `continues` out.",
    });
  }
  const system = request.system === undefined ? [] : [{ role: "system", content: request.system }];
  const temperature = refusesTemperature(id) ? undefined : (options.temperature ?? request.temperature);
  return { prompt: [...system, ...added], maxOutputTokens: request.cap, ...defined({ temperature }) };
}

function continued(given: Json): Json {
  const choice = str(obj(given["toolChoice"])["type"]);
  const isDemand = choice === "required" || choice === "tool";
  const left = isDemand ? [...SHAPING, "toolChoice"] : SHAPING;
  return Object.fromEntries(Object.entries(given).filter(([name]) => !left.includes(name)));
}

const promptMessage = ({ role, text }: ModelMessage): Json => ({ role, content: [{ type: "text", text }] });

function read(id: string, result: unknown): ModelReply {
  const body = obj(result);
  const parts = listOf(body["content"]).map(obj);
  if (!Array.isArray(body["content"]))
    throw new ModelError({
      model: id,
      failure: "bad-answer",
      message: "the language model's result has no `content`.",
      fix: "Use a model of specification V2, V3 or V4.",
    });
  const { usage, stop = "other" } = aiSdkEnd(body);
  return {
    text: parts
      .filter((part) => part["type"] === "text")
      .map((part) => str(part["text"]))
      .join(""),
    stop: parts.some((part) => part["type"] === "tool-call") ? "tool-call" : stop,
    usage,
    ...defined({ model: str(obj(body["response"])["modelId"]) || undefined }),
  };
}

/** What the end of an answer tells, whole or streamed: V2 has a word and plain numbers, V3 and V4 have objects. */
export function aiSdkEnd({
  finishReason,
  usage: given,
}: {
  readonly finishReason?: unknown;
  readonly usage?: unknown;
}): { readonly usage: Usage; readonly stop: StopReason | undefined } {
  const reason = typeof finishReason === "string" ? finishReason : str(obj(finishReason)["unified"]);
  const usage = obj(given);
  const { inputTokens: input, outputTokens: output } = usage;
  return {
    stop: STOPS[reason],
    usage: usageOf({
      input: isRecord(input) ? input["total"] : input,
      output: isRecord(output) ? output["total"] : output,
      cacheRead: isRecord(input) ? input["cacheRead"] : usage["cachedInputTokens"],
      cacheWrite: isRecord(input) ? input["cacheWrite"] : undefined,
    }),
  };
}

/** The AI SDK's own error, told in our words. Its request, which holds the conversation, isn't carried along. */
function failed(id: string, error: unknown): ModelError {
  const fields: Json = isRecord(error) ? error : {};
  const status = fields["statusCode"];
  if (typeof status === "number") {
    const headers = new Map(
      Object.entries(obj(fields["responseHeaders"])).map(([name, value]) => [name.toLowerCase(), str(value)]),
    );
    return failureOf({
      model: id,
      status,
      body: str(fields["responseBody"]) || (error instanceof Error ? error.message : ""),
      headers: { get: (name) => headers.get(name) ?? null },
      secrets: [],
      now: Date.now(),
    });
  }
  const message = redact(error instanceof Error ? error.message : String(error), []);
  const isKey = str(fields["name"]) === "AI_LoadAPIKeyError";
  return new ModelError({
    model: id,
    failure: isKey ? "auth" : "network",
    message: `the language model failed: ${message}`,
    fix: isKey
      ? "Give the provider its API key."
      : "Check the provider's settings and that its server can be reached.",
    retryable: !isKey && fields["isRetryable"] !== false,
  });
}
