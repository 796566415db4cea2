import { isJson, type Json, numberOf, parseJson, textOf } from "../shared/fields.ts";

/** The message that a streamed answer of Anthropic's adds up to. */
export function assembleMessage(events: readonly Json[]): Json {
  let message: Json = {};
  let usage: Json = {};
  /** By the index that the provider gives, whatever number that is. */
  const content = new Map<number, Record<string, unknown>>();
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (event["type"] === "message_start" && isJson(event["message"])) {
      message = event["message"];
      if (isJson(message["usage"])) usage = message["usage"];
    } else if (event["type"] === "content_block_start" && isJson(event["content_block"])) {
      content.set(numberOf(event["index"]) ?? content.size, { ...event["content_block"] });
    } else if (event["type"] === "content_block_delta" && isJson(event["delta"])) {
      const index = numberOf(event["index"]) ?? 0;
      const part = content.get(index);
      if (part) addDelta(part, event["delta"], index, inputs);
    } else if (event["type"] === "message_delta") {
      if (isJson(event["usage"])) usage = { ...usage, ...event["usage"] };
      if (isJson(event["delta"])) message = { ...message, ...event["delta"] };
    }
  }
  for (const [index, text] of inputs) {
    const part = content.get(index);
    if (part) part["input"] = text.trim() === "" ? {} : (parseJson(text) ?? {});
  }
  const parts = [...content].sort(([a], [b]) => a - b).map(([, part]) => part);
  return { ...message, content: parts, usage };
}

/** Fields that grow by pieces of text, by the type of the delta. */
const GROWS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  compaction_delta: "content",
};

function addDelta(
  part: Record<string, unknown>,
  delta: Json,
  index: number,
  inputs: Map<number, string>,
): void {
  const type = textOf(delta["type"]) ?? "";
  const field = GROWS[type];
  if (field !== undefined) part[field] = (textOf(part[field]) ?? "") + (textOf(delta[field]) ?? "");
  else if (type === "signature_delta") part["signature"] = delta["signature"];
  else if (type === "input_json_delta")
    inputs.set(index, (inputs.get(index) ?? "") + (textOf(delta["partial_json"]) ?? ""));
  else if (type === "citations_delta")
    part["citations"] = [...(Array.isArray(part["citations"]) ? part["citations"] : []), delta["citation"]];
}
