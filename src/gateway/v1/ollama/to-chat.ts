import { isJson, type Json, listOf, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { asUrl, mediaSource } from "../../../apis/shared/media-source.ts";
import { stringifyDeep } from "../../../core/deep-json.ts";
import { RequestFault } from "../../http/request-fault.ts";

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
