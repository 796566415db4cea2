import { assembleChat } from "../../../apis/chat/api.ts";
import { eventsIn, readEvents, splitEvents } from "../../../apis/shared/events.ts";
import { isJson, type Json, listOf, numberOf, parseJson, textOf } from "../../../apis/shared/fields.ts";
import { asUrl, mediaSource } from "../../../apis/shared/media.ts";
import { stringifyDeep } from "../../../core/json.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { wireOfDialect } from "../../wires/index.ts";

/** The usual API, in which upstreams are asked. */
export const chatApi = wireOfDialect(undefined);

/** Which of Ollama's routes is answered: one has messages, the other a prompt. */
export type OllamaRoute = "chat" | "generate";

/** What an answer tells beside its words. */
export interface OllamaFacts {
  readonly route: OllamaRoute;
  readonly model: string;
  readonly createdAt: string;
  /** How long it took so far (nanoseconds). */
  nanoseconds(): number;
}

export function fromChat(facts: OllamaFacts, answer: Json): Json {
  const choice = listOf(answer["choices"])[0];
  const message = isJson(choice) && isJson(choice["message"]) ? choice["message"] : {};
  const reason = isJson(choice) ? textOf(choice["finish_reason"]) : undefined;
  return { ...said(facts, message), ...ending(facts, reason, answer["usage"]) };
}

/** The events of a streamed chat completion as Ollama answers in one piece; undefined if they hold none. */
export function fromEvents(facts: OllamaFacts, text: string): Json | undefined {
  const events = readEvents(text);
  const failed = events.find((event) => event["error"] != null);
  if (failed) return errorFromChat(failed);
  const [message] = chatApi.readStream(text).messages;
  if (!isJson(message)) return undefined;
  return { ...said(facts, message), ...ending(facts, reasonIn(events), usageIn(events)) };
}

function reasonIn(events: readonly Json[]): string | undefined {
  const reason = events
    .flatMap((event) => listOf(event["choices"]))
    .findLast((choice) => isJson(choice) && typeof choice["finish_reason"] === "string");
  return isJson(reason) ? textOf(reason["finish_reason"]) : undefined;
}

function usageIn(events: readonly Json[]): unknown {
  return events.findLast((event) => isJson(event["usage"]))?.["usage"];
}

/** An error as Ollama tells it: a text. */
export function errorFromChat(body: unknown): Json {
  const error = isJson(body) ? body["error"] : undefined;
  const message = isJson(error) ? textOf(error["message"]) : textOf(error);
  return { error: message ?? "precis: the upstream answered with an error." };
}

const TOO_LONG: Json = {
  error:
    "precis: an event of the upstream's answer is longer than limits.answerBytes, so it can't be translated to Ollama's format.",
};

/** Turns the events of a streamed chat completion into lines of JSON, as they come. What is longer than `most` characters is left out. */
export function linesFromChat(
  facts: OllamaFacts,
  most: number,
): { push(piece: Buffer): string; end(): string } {
  const split = splitEvents(most);
  /** Events with pieces of calls, and how long they are together. */
  let calling: Json[] = [];
  let callingSize = 0;
  let reason: string | undefined;
  let usage: unknown;
  let failed: Json | undefined;
  const line = (value: Json) => `${stringifyDeep(value)}\n`;
  const take = (event: Json, size: number): string => {
    if (event["error"] != null) {
      failed = errorFromChat(event);
      return "";
    }
    reason = reasonIn([event]) ?? reason;
    usage = usageIn([event]) ?? usage;
    const choice = listOf(event["choices"])[0];
    const delta = isJson(choice) && isJson(choice["delta"]) ? choice["delta"] : {};
    // Calls come in pieces: they are told whole, at the end.
    const { tool_calls: calls, ...words } = delta;
    if (listOf(calls).length > 0) {
      callingSize += size;
      if (callingSize <= most) calling.push(event);
      else {
        calling = [];
        failed ??= TOO_LONG;
      }
    }
    const piece = said(facts, words);
    return hasWords(piece) ? line({ ...piece, done: false }) : "";
  };
  const linesOf = (piece: Buffer, isLast: boolean): string =>
    split(piece, isLast)
      .flatMap(({ text, isPart }) => {
        if (isPart) failed ??= TOO_LONG;
        return isPart ? [] : eventsIn(text).map((event) => take(event, text.length));
      })
      .join("");
  return {
    push: (piece) => linesOf(piece, false),
    end() {
      // Not every server ends its last event.
      const more = linesOf(Buffer.alloc(0), true);
      if (failed) return more + line(failed);
      const calls = callsOf(assembleChat(calling) ?? {});
      const last = { ...said(facts, {}), ...ending(facts, reason, usage) };
      const called = {
        ...said(facts, {}),
        message: { role: "assistant", content: "", tool_calls: calls },
        done: false,
      };
      return more + (calls.length > 0 ? line(called) : "") + line(last);
    },
  };
}

function hasWords(piece: Json): boolean {
  const { response, thinking, message } = piece;
  if (!isJson(message)) return Boolean(response) || Boolean(thinking);
  return Boolean(message["content"]) || Boolean(message["thinking"]);
}

/** What a message says, in the words of the route. */
function said({ route, model, createdAt }: OllamaFacts, message: Json): Json {
  const text = textOf(message["content"]) ?? "";
  const thought = textOf(message["reasoning"]) ?? textOf(message["reasoning_content"]);
  const thinking = thought ? { thinking: thought } : {};
  const base = { model, created_at: createdAt };
  if (route === "generate") return { ...base, response: text, ...thinking };
  const calls = callsOf(message);
  return {
    ...base,
    message: {
      role: "assistant",
      content: text,
      ...thinking,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  };
}

function callsOf(message: Json): Json[] {
  return listOf(message["tool_calls"]).flatMap((call) => {
    const fn = isJson(call) && isJson(call["function"]) ? call["function"] : undefined;
    if (fn === undefined) return [];
    return [
      {
        ...(isJson(call) && typeof call["id"] === "string" && { id: call["id"] }),
        function: { name: textOf(fn["name"]) ?? "", arguments: argumentsOf(fn["arguments"]) },
      },
    ];
  });
}

/** Chat Completions has them as a text; some servers send the object itself. */
function argumentsOf(given: unknown): Json {
  if (isJson(given)) return given;
  const text = textOf(given) ?? "{}";
  const parsed = parseJson(text);
  return isJson(parsed) ? parsed : { text };
}

function ending(facts: OllamaFacts, reason: string | undefined, usage: unknown): Json {
  const counted = isJson(usage) ? usage : {};
  const took = facts.nanoseconds();
  return {
    done: true,
    done_reason: reason === "length" ? "length" : "stop",
    total_duration: took,
    load_duration: 0,
    prompt_eval_count: numberOf(counted["prompt_tokens"]) ?? 0,
    prompt_eval_duration: 0,
    eval_count: numberOf(counted["completion_tokens"]) ?? 0,
    eval_duration: took,
  };
}

/** A request of Ollama's own API as one of Chat Completions, which every upstream speaks. */
export function toChat(body: Json): Json {
  const options = isJson(body["options"]) ? body["options"] : {};
  const predicted = numberOf(options["num_predict"]);
  const streamed = body["stream"] !== false;
  const { model, tools, think } = body;
  return {
    model: textOf(model) ?? "",
    messages: messagesOf(body),
    stream: streamed,
    ...(streamed && { stream_options: { include_usage: true } }),
    ...(listOf(tools).length > 0 && { tools }),
    ...given(options, ["temperature", "top_p", "seed", "stop", "presence_penalty", "frequency_penalty"]),
    // Less than one means "as much as there is room for".
    ...(predicted !== undefined && predicted > 0 && { max_tokens: predicted }),
    ...formatOf(body["format"]),
    ...(typeof think === "string" && { reasoning_effort: think }),
    ...(think === false && { reasoning_effort: "none" }),
  };
}

function given(options: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

function formatOf(format: unknown): Json {
  if (format === "json") return { response_format: { type: "json_object" } };
  if (!isJson(format)) return {};
  return { response_format: { type: "json_schema", json_schema: { name: "answer", schema: format } } };
}

/** `chat` has messages, `generate` a prompt. */
function messagesOf(body: Json): Json[] {
  const { messages, prompt, system } = body;
  if (Array.isArray(messages)) return messagesWithIds(messages.filter(isJson));
  if (typeof prompt !== "string")
    throw new RequestFault(400, "invalid", "precis: `messages` or `prompt` is missing.");
  const asked = { role: "user", content: contentOf(prompt, body["images"]) };
  return typeof system === "string" && system !== "" ? [{ role: "system", content: system }, asked] : [asked];
}

/** Ollama's calls need no ids. They are counted through the conversation, so that later requests give the same ones. */
function messagesWithIds(messages: readonly Json[]): Json[] {
  let calls = 0;
  let open: { readonly id: string; readonly name: string }[] = [];
  return messages.map((message) => {
    const { role, content, images, thinking, tool_calls: asked, tool_name: named, ...rest } = message;
    if (role === "tool") {
      const name = textOf(named) ?? textOf(message["name"]);
      const byId = textOf(message["tool_call_id"]);
      const found = open.find((one) => one.id === byId) ?? open.find((one) => one.name === name) ?? open[0];
      open = open.filter((one) => one !== found);
      return { role, tool_call_id: byId ?? found?.id ?? "call_0", content: textOf(content) ?? "" };
    }
    const made = listOf(asked)
      .filter(isJson)
      .map((call) => callOf(call, ++calls));
    if (made.length > 0) open = made.map(({ id, function: { name } }) => ({ id, name }));
    return {
      ...rest,
      role,
      content: contentOf(textOf(content) ?? "", images),
      ...(typeof thinking === "string" && thinking !== "" && { reasoning: thinking }),
      ...(made.length > 0 && { tool_calls: made }),
    };
  });
}

function callOf(call: Json, number: number) {
  const fn = isJson(call["function"]) ? call["function"] : {};
  const args = fn["arguments"];
  return {
    id: textOf(call["id"]) ?? `call_${number}`,
    type: "function",
    function: {
      name: textOf(fn["name"]) ?? "",
      arguments: typeof args === "string" ? args : stringifyDeep(args ?? {}),
    },
  };
}

/** Pictures come as base64 beside the text. */
function contentOf(text: string, images: unknown): string | Json[] {
  const pictures = listOf(images).filter((image) => typeof image === "string");
  if (pictures.length === 0) return text;
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...pictures.map((image) => {
      const source = mediaSource(image, "image/jpeg");
      return { type: "image_url", image_url: { url: asUrl(source) ?? `data:image/jpeg;base64,${image}` } };
    }),
  ];
}
