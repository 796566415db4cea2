import { responsesApi } from "../../../apis/responses/api.ts";
import { isObject, type Json, objects, str } from "../../json.ts";
import type { Answer } from "../answer.ts";
import type { FakeWire, WireRules } from "../fake-wire.ts";
import { type Prompt, PromptBuilder } from "../prompt.ts";
import type { CacheUse } from "../prompt-cache.ts";
import { demand, ProviderRefusal } from "../provider-refusal.ts";
import type { FakeBody, FakeMessage, FakeRequest } from "../types.ts";
import { streamResponse } from "./stream-response.ts";
import { validateItems, validateResponses } from "./validate-responses.ts";

const CREATED = 1_700_000_000;

/** OpenAI Responses. Keeps what it answered, for `previous_response_id` and for the ids of its items. */
export function createResponsesWire(): FakeWire {
  const stored = new Map<string, readonly unknown[]>();
  const needs = new Map<string, string>();
  /** Items of stored answers by their ids, which a client may send instead of them. */
  const named = new Map<string, Json>();

  return {
    api: responsesApi,

    accept(body, rules) {
      validateResponses(body, rules);
      const items = [...earlier(body, stored), ...inputOf(body).map((item) => referenced(item, named))];
      validateItems(items, needs, rules);
      return { prompt: readPrompt(body, items, rules), notes: { items } };
    },

    counted: (input_tokens) => ({ object: "response.input_tokens", input_tokens }),

    tooLong(tokens, _cap, { window }) {
      return tokens <= window
        ? undefined
        : new ProviderRefusal(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            { param: "input", code: "context_length_exceeded" },
          );
    },

    json(answer, use, request, accepted) {
      return finish(answer, use, request, accepted.notes["items"] as readonly unknown[]);
    },

    events(answer, use, request, accepted) {
      return streamResponse(finish(answer, use, request, accepted.notes["items"] as readonly unknown[]));
    },
  };

  function finish(answer: Answer, use: CacheUse, request: FakeRequest, items: readonly unknown[]): Json {
    const response = responseOf(answer, use, request);
    const output = objects(response["output"]);
    const reasoning = output.find((item) => item["type"] === "reasoning");
    if (reasoning !== undefined)
      for (const item of output) if (item !== reasoning) needs.set(str(item["id"]), str(reasoning["id"]));
    if (request.body["store"] !== false) {
      stored.set(str(response["id"]), [...items, ...output]);
      for (const item of output) named.set(str(item["id"]), item);
    }
    return response;
  }
}

function earlier(body: FakeBody, stored: ReadonlyMap<string, readonly unknown[]>): readonly unknown[] {
  const id = body["previous_response_id"];
  if (id == null) return [];
  const items = stored.get(str(id));
  demand(items !== undefined, `Previous response with id '${id}' not found.`, {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
  return items;
}

/** The item that a reference names; any other item as it is. */
function referenced(item: unknown, named: ReadonlyMap<string, Json>): unknown {
  if (!isObject(item) || item["type"] !== "item_reference") return item;
  const id = str(item["id"]);
  const found = named.get(id);
  demand(found !== undefined, `Item with id '${id}' not found.`, { param: "input" });
  return found;
}

const inputOf = ({ input }: FakeBody): readonly unknown[] =>
  typeof input === "string" ? [{ role: "user", content: input }] : Array.isArray(input) ? input : [];

function readPrompt(body: FakeBody, items: readonly unknown[], { count }: WireRules): Prompt {
  const prompt = new PromptBuilder(count);
  const tools = objects(body["tools"]);
  if (tools.length > 0) prompt.json("tools", tools);
  const instructions = str(body["instructions"]);
  if (instructions !== "") {
    prompt.part("system", { wire: instructions, read: instructions, first: true });
    prompt.message("system", instructions);
  }
  for (const item of objects(items)) {
    const { role, read, media } = readItem(item);
    if (item["type"] === "reasoning") prompt.free("assistant", item["id"]);
    else {
      prompt.part(role, { wire: wireOf(item), read, first: true });
      for (let n = 0; n < media; n++) prompt.part(role, { wire: n, read: "", image: true, first: false });
      prompt.message(role, read);
    }
  }
  return {
    pieces: prompt.pieces,
    messages: prompt.messages,
    tools: tools.map((tool) => str(tool["name"])),
  };
}

/** Content given as a text is the same as one text part. */
function wireOf(item: Json): Json {
  const { id: _, status: __, ...rest } = item;
  const kind = item["role"] === "assistant" ? "output_text" : "input_text";
  const content =
    typeof item["content"] === "string"
      ? [{ type: kind, text: item["content"] }]
      : objects(item["content"]).map(({ annotations: _a, logprobs: _l, ...part }) => part);
  return (str(item["type"]) || "message") === "message"
    ? { type: "message", role: item["role"], content }
    : rest;
}

function readItem(item: Json): { role: FakeMessage["role"]; read: string; media: number } {
  const type = str(item["type"]) || "message";
  if (type.endsWith("_output")) {
    const { output } = item;
    const read =
      typeof output === "string"
        ? output
        : objects(output)
            .map((part) => str(part["text"]))
            .join("\n");
    return { role: "tool", read, media: 0 };
  }
  if (type !== "message")
    return {
      role: "assistant",
      read: `${str(item["name"])} ${str(item["arguments"] ?? item["input"])}`,
      media: 0,
    };
  const { content } = item;
  const parts = typeof content === "string" ? [{ text: content }] : objects(content);
  const role = item["role"] === "assistant" ? "assistant" : item["role"] === "user" ? "user" : "system";
  const texts = parts.map((part) => part["text"] ?? part["refusal"]);
  return {
    role,
    read: texts.map(str).join("\n"),
    media: texts.filter((text) => typeof text !== "string").length,
  };
}

function responseOf(answer: Answer, use: CacheUse, request: FakeRequest): Json {
  const { body } = request;
  const isCut = answer.stop === "length" || answer.stop === "window" || answer.stop === "content-filter";
  const status = isCut ? "incomplete" : "completed";
  const id = (prefix: string): string => `${prefix}_${answer.id}`;
  const part =
    answer.stop === "refusal"
      ? { type: "refusal", refusal: answer.text }
      : { type: "output_text", text: answer.text, annotations: [], logprobs: [] };
  const output: Json[] = [
    ...(answer.reasoning === ""
      ? []
      : [
          {
            id: id("rs"),
            type: "reasoning",
            summary: [{ type: "summary_text", text: answer.reasoning }],
            ...(wantsEncrypted(body) ? { encrypted_content: `fake-encrypted.${answer.id}` } : {}),
          },
        ]),
    ...(answer.text === "" && answer.calls.length > 0
      ? []
      : [{ id: id("msg"), type: "message", status, role: "assistant", content: [part] }]),
    ...answer.calls.map((call, index) => ({
      id: `${id("fc")}${index}`,
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: call.args,
    })),
  ];
  return {
    id: id("resp"),
    object: "response",
    created_at: CREATED,
    status,
    background: false,
    error: null,
    incomplete_details: isCut
      ? { reason: answer.stop === "content-filter" ? "content_filter" : "max_output_tokens" }
      : null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    metadata: body["metadata"] ?? {},
    model: request.model,
    output,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    store: body["store"] ?? true,
    temperature: body["temperature"] ?? 1,
    text: body["text"] ?? { format: { type: "text" } },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: 1,
    truncation: "disabled",
    usage: {
      input_tokens: use.input,
      input_tokens_details: { cached_tokens: use.cacheRead },
      output_tokens: answer.outputTokens,
      output_tokens_details: { reasoning_tokens: answer.reasoningTokens },
      total_tokens: use.input + answer.outputTokens,
    },
    user: null,
  };
}

const wantsEncrypted = ({ include }: FakeBody): boolean =>
  Array.isArray(include) && include.includes("reasoning.encrypted_content");
