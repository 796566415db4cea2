import type { ApiDelta } from "../../../apis/shared/api.ts";
import { errorText, eventsIn, readEvents, splitEvents } from "../../../apis/shared/events.ts";
import {
  isJson,
  type Json,
  listOf,
  numberOf,
  obj,
  objectsOf,
  parseJson,
  str,
  textOf,
} from "../../../apis/shared/fields.ts";
import { asUrl, mediaSource } from "../../../apis/shared/media.ts";
import type { Reported } from "../../../apis/shared/usage.ts";
import { stringifyDeep } from "../../../core/json.ts";
import type { StopReason } from "../../../core/types.ts";
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

/** A chat completion in Ollama's words. */
export function fromChat(facts: OllamaFacts, answer: Json): Json {
  const { messages, usage, stop } = chatApi.readAnswer(answer);
  const message = obj(messages[0]);
  // In one piece it says what one event of a stream would.
  const words = chatApi.readEvent({ choices: [{ delta: message }] });
  return { ...said(facts, { ...words, calls: callsOf(message) }), ...ending(facts, stop, usage) };
}

/** The events of a streamed chat completion as Ollama answers in one piece; undefined if they hold none. */
export function fromEvents(facts: OllamaFacts, text: string): Json | undefined {
  const events = readEvents(text);
  const failed = events.find((event) => errorText(event) !== undefined);
  if (failed) return errorFromChat(failed);
  const answer = chatApi.assemble(events);
  return chatApi.readAnswer(answer).messages.length > 0 ? fromChat(facts, answer) : undefined;
}

/** An error as Ollama tells it: a text. */
export function errorFromChat(body: unknown): Json {
  return { error: errorText(obj(body)) ?? "precis: the upstream answered with an error." };
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
  let stop: StopReason | undefined;
  let usage: Reported = {};
  let failed: Json | undefined;
  const line = (value: Json) => `${stringifyDeep(value)}\n`;
  const take = (event: Json, size: number): string => {
    if (errorText(event) !== undefined) {
      failed = errorFromChat(event);
      return "";
    }
    const delta = chatApi.readEvent(event) ?? {};
    stop = delta.stop ?? stop;
    usage = { ...usage, ...delta.usage };
    // Calls come in pieces: they are told whole, at the end.
    if (listOf(obj(obj(listOf(event["choices"])[0])["delta"])["tool_calls"]).length > 0) {
      callingSize += size;
      if (callingSize <= most) calling.push(event);
      else {
        calling = [];
        failed ??= TOO_LONG;
      }
    }
    return delta.text || delta.reasoning ? line({ ...said(facts, delta), done: false }) : "";
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
      const [message] = chatApi.readAnswer(chatApi.assemble(calling)).messages;
      const calls = callsOf(obj(message));
      const last = { ...said(facts, {}), ...ending(facts, stop, usage) };
      return more + (calls.length > 0 ? line({ ...said(facts, { calls }), done: false }) : "") + line(last);
    },
  };
}

interface Words extends Pick<ApiDelta, "text" | "reasoning"> {
  readonly calls?: readonly Json[];
}

/** What is said, in the words of the route. */
function said({ route, model, createdAt }: OllamaFacts, { text = "", reasoning, calls = [] }: Words): Json {
  const thinking = reasoning ? { thinking: reasoning } : {};
  const base = { model, created_at: createdAt };
  if (route === "generate") return { ...base, response: text, ...thinking };
  const tool_calls = calls.length > 0 && { tool_calls: calls };
  return { ...base, message: { role: "assistant", content: text, ...thinking, ...tool_calls } };
}

function callsOf(message: Json): Json[] {
  return objectsOf(message["tool_calls"]).flatMap(({ id, function: fn }) =>
    isJson(fn)
      ? [
          {
            ...(typeof id === "string" && { id }),
            function: { name: str(fn["name"]), arguments: argumentsOf(fn["arguments"]) },
          },
        ]
      : [],
  );
}

/** Chat Completions has them as a text; some servers send the object itself. */
function argumentsOf(given: unknown): Json {
  if (isJson(given)) return given;
  const text = textOf(given) ?? "{}";
  const parsed = parseJson(text);
  return isJson(parsed) ? parsed : { text };
}

function ending(facts: OllamaFacts, stop: StopReason | undefined, usage: Reported = {}): Json {
  const took = facts.nanoseconds();
  return {
    done: true,
    done_reason: stop === "length" ? "length" : "stop",
    total_duration: took,
    load_duration: 0,
    prompt_eval_count: usage.input ?? 0,
    prompt_eval_duration: 0,
    eval_count: usage.output ?? 0,
    eval_duration: took,
  };
}

/** A request of Ollama's own API as one of Chat Completions, which every upstream speaks. */
export function toChat(body: Json): Json {
  const options = obj(body["options"]);
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
    const made = objectsOf(asked).map((call) => callOf(call, ++calls));
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
  const fn = obj(call["function"]);
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
