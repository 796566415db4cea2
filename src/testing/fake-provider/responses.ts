import { responsesServed } from "../../apis/responses/server.ts";
import { isObject, type Json, objects, str } from "../json.ts";
import { type Answer, type FakeEvent, type FakeWire, pieces, type WireRules } from "./fake-wire.ts";
import {
  checkAlternation,
  checkCap,
  checkTemperature,
  checkTools,
  demandGiven,
  demandType,
  refuseUnknown,
  requireModel,
} from "./openai-rules.ts";
import type { CacheUse } from "./prompt.ts";
import { demand, demandRules, ProviderRefusal } from "./refusals.ts";
import type { FakeBody, FakeRequest } from "./types.ts";

const CREATED = 1_700_000_000;

/** OpenAI Responses. Keeps what it answered, for `previous_response_id` and for the ids of its items. */
export function createResponsesWire(): FakeWire {
  const stored = new Map<string, readonly unknown[]>();
  const needs = new Map<string, string>();
  /** Items of stored answers by their ids, which a client may send instead of them. */
  const named = new Map<string, Json>();

  return {
    api: responsesServed,
    comparesThoughts: true,

    accept(body, rules) {
      validateResponses(body, rules);
      const items = [...earlier(body, stored), ...inputOf(body).map((item) => referenced(item, named))];
      validateItems(items, needs, rules);
      return { body: { ...body, input: items } };
    },

    tooLong(tokens, _cap, { window }) {
      return tokens <= window
        ? undefined
        : new ProviderRefusal(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            { param: "input", code: "context_length_exceeded" },
          );
    },

    json(answer, use, request, accepted) {
      return finish(answer, use, request, inputOf(accepted.body));
    },

    events(answer, use, request, accepted) {
      return streamResponse(finish(answer, use, request, inputOf(accepted.body)));
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

/** The events of a response, in the order in which OpenAI sends them. */
function streamResponse(response: Json): FakeEvent[] {
  const events: FakeEvent[] = [];
  const emit = (type: string, fields: Json): void => {
    events.push({ event: type, data: { type, sequence_number: events.length, ...fields } });
  };
  const started = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null };
  emit("response.created", { response: started });
  emit("response.in_progress", { response: started });
  for (const [index, item] of objects(response["output"]).entries()) {
    const at = { output_index: index, item_id: item["id"] };
    emit("response.output_item.added", { output_index: index, item: opened(item) });
    if (item["type"] === "reasoning") emitReasoning(item, at, emit);
    else if (item["type"] === "message") emitMessage(item, at, emit);
    else emitCall(item, at, emit);
    emit("response.output_item.done", { output_index: index, item });
  }
  emit(`response.${str(response["status"])}`, { response });
  return events;
}

type Emit = (type: string, fields: Json) => void;

function opened(item: Json): Json {
  if (item["type"] === "reasoning") return { ...item, summary: [] };
  if (item["type"] === "message") return { ...item, status: "in_progress", content: [] };
  return { ...item, status: "in_progress", arguments: "" };
}

function emitReasoning(item: Json, at: Json, emit: Emit): void {
  for (const [index, part] of objects(item["summary"]).entries()) {
    const place = { ...at, summary_index: index };
    emit("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
    for (const delta of pieces(str(part["text"])))
      emit("response.reasoning_summary_text.delta", { ...place, delta });
    emit("response.reasoning_summary_text.done", { ...place, text: part["text"] });
    emit("response.reasoning_summary_part.done", { ...place, part });
  }
}

function emitMessage(item: Json, at: Json, emit: Emit): void {
  for (const [index, part] of objects(item["content"]).entries()) {
    const place = { ...at, content_index: index };
    const isRefusal = part["type"] === "refusal";
    const text = str(isRefusal ? part["refusal"] : part["text"]);
    const name = isRefusal ? "response.refusal" : "response.output_text";
    emit("response.content_part.added", {
      ...place,
      part: { ...part, [isRefusal ? "refusal" : "text"]: "" },
    });
    for (const delta of pieces(text))
      emit(`${name}.delta`, { ...place, delta, ...(isRefusal ? {} : { logprobs: [] }) });
    emit(`${name}.done`, { ...place, ...(isRefusal ? { refusal: text } : { text, logprobs: [] }) });
    emit("response.content_part.done", { ...place, part });
  }
}

function emitCall(item: Json, at: Json, emit: Emit): void {
  for (const delta of pieces(str(item["arguments"])))
    emit("response.function_call_arguments.delta", { ...at, delta });
  emit("response.function_call_arguments.done", { ...at, name: item["name"], arguments: item["arguments"] });
}

const MIN_CAP = 16;
const KNOWN = new Set(
  "model input instructions max_output_tokens temperature top_p tools tool_choice parallel_tool_calls previous_response_id conversation reasoning text truncation store metadata stream stream_options include user background prompt prompt_cache_key prompt_cache_retention prompt_cache_options safety_identifier service_tier max_tool_calls top_logprobs context_management client_metadata".split(
    " ",
  ),
);
/** How an item's id begins, by its type. */
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  reasoning: "rs",
};

/** Refuses what Responses refuses in the fields beside the input. */
function validateResponses(body: FakeBody, rules: Pick<WireRules, "unknownFields" | "maxOutput">): void {
  const model = requireModel(body);
  if (rules.unknownFields === "refuse") refuseUnknown(body, KNOWN, (name) => `Unknown parameter: '${name}'.`);
  const { input } = body;
  demandGiven(input !== undefined, "input");
  demandType(
    typeof input === "string" || Array.isArray(input),
    "input",
    "one of a string or array of input items",
    input,
  );
  checkTemperature(body, model);
  checkTools(body);
  const choice = body["tool_choice"];
  const name = typeof choice === "string" ? choice : str((choice as Json | undefined)?.["type"]);
  demand(
    objects(body["tools"]).length > 0 || name === "" || name === "auto" || name === "none",
    `Tool choice '${name}' must be specified with 'tools' parameter.`,
    { param: "tool_choice" },
  );
  const cap = checkCap(body, "max_output_tokens", MIN_CAP);
  demand(
    cap === undefined || cap <= rules.maxOutput,
    `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= ${rules.maxOutput}, but got ${cap} instead.`,
    { param: "max_output_tokens", code: "integer_above_max_value" },
  );
}

/** Refuses what Responses refuses in the list of items. `needs` names the reasoning that an earlier item was made with. */
function validateItems(
  items: readonly unknown[],
  needs: ReadonlyMap<string, string>,
  rules: Pick<WireRules, "alternation">,
): void {
  for (const [index, item] of items.entries()) checkItem(item, index);
  const list = items.filter(isObject);
  checkCalls(list);
  demandRules("openai-responses", list, {
    "dangling-reasoning": (at) =>
      new ProviderRefusal(
        `Item '${str(list[at]?.["id"])}' of type 'reasoning' was provided without its required following item.`,
        { param: "input" },
      ),
  });
  checkReasoning(list, needs);
  if (rules.alternation === "strict") checkAlternation("openai-responses", list);
}

function checkItem(item: unknown, index: number): void {
  const at = `input[${index}]`;
  demandType(isObject(item), at, "an input item", item);
  const type = str(item["type"]) || "message";
  const prefix = ID_PREFIX[type];
  const id = item["id"];
  demand(
    prefix === undefined || typeof id !== "string" || id.startsWith(prefix),
    `Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    { param: `${at}.id`, code: "invalid_value" },
  );
  if (type === "function_call")
    demandType(typeof item["arguments"] === "string", `${at}.arguments`, "a string", item["arguments"]);
  if (type !== "message") return;
  const role = str(item["role"]);
  demand(
    ["user", "assistant", "system", "developer"].includes(role),
    `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    { param: `${at}.role`, code: "invalid_value" },
  );
  demandGiven(item["content"] != null, `${at}.content`);
  const wanted =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  for (const [number, part] of objects(item["content"]).entries())
    demand(
      wanted.includes(str(part["type"])),
      `Invalid value: '${str(part["type"])}'. Supported values are: ${wanted.map((name) => `'${name}'`).join(", ")}.`,
      { param: `${at}.content[${number}].type`, code: "invalid_value" },
    );
}

/** Calls and outputs belong together, wherever they stand, the call first. */
function checkCalls(items: readonly Json[]): void {
  const links = items.filter(({ type }) => /^(?:function|custom_tool)_call/.test(str(type)));
  const nameOf = (at: number) =>
    /^custom/.test(str(links[at]?.["type"])) ? "custom tool call" : "function call";
  const refusal = (text: string) => new ProviderRefusal(text, { param: "input" });
  demandRules("openai-responses", links, {
    "orphan-result": (at, [id]) => refusal(`No tool call found for ${nameOf(at)} output with call_id ${id}.`),
    "unanswered-call": (at, [id]) => refusal(`No tool output found for ${nameOf(at)} ${id}.`),
  });
}

/** What reasoning led to doesn't come without it. */
function checkReasoning(items: readonly Json[], needs: ReadonlyMap<string, string>): void {
  const ids = new Set(items.map((item) => str(item["id"])));
  for (const item of items) {
    const needed = needs.get(str(item["id"]));
    demand(
      needed === undefined || ids.has(needed),
      `Item '${str(item["id"])}' of type '${str(item["type"])}' was provided without its required 'reasoning' item: '${needed}'.`,
      { param: "input" },
    );
  }
}
