import { isObject, objects, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

/** Chat Completions: calls in `tool_calls`, each answered by a `tool` message in the run right behind. */
export function chatFacts(message: unknown): WireFacts {
  const facts = new FactsBuilder();
  if (!isObject(message)) return facts.done("user");
  const role =
    message["role"] === "developer" || message["role"] === "system"
      ? "system"
      : message["role"] === "assistant"
        ? "assistant"
        : message["role"] === "tool" || message["role"] === "function"
          ? "tool"
          : "user";
  const content = message["content"];
  if (typeof content === "string") facts.text(content, role === "user");
  for (const part of objects(content)) {
    if (part["type"] === "text") facts.text(str(part["text"]), role === "user");
    else if (part["type"] === "refusal") facts.text(str(part["refusal"]), false);
    else facts.media++;
  }
  facts.text(str(message["refusal"]), false);
  for (const call of objects(message["tool_calls"])) {
    const body = isObject(call["function"])
      ? call["function"]
      : isObject(call["custom"])
        ? call["custom"]
        : {};
    const args = str(body["arguments"] ?? body["input"]);
    facts.calls.push({ kind: "call", id: str(call["id"]), name: str(body["name"]) });
    facts.text(str(body["name"]), false);
    facts.text(args, false);
    if (body["arguments"] !== undefined) facts.jsonArgs.push(args);
  }
  if (typeof message["reasoning_content"] === "string" || typeof message["reasoning"] === "string")
    facts.reasoning++;
  // The form that `tool_calls` replaced has no ids: the function's name ties the two together.
  const legacy = isObject(message["function_call"]) ? str(message["function_call"]["name"]) : undefined;
  if (legacy !== undefined) facts.calls.push({ kind: "legacy", id: legacy, name: legacy });
  if (message["role"] === "function") facts.results.push({ kind: "legacy", id: str(message["name"]) });
  if (message["role"] === "tool") facts.results.push({ kind: "call", id: str(message["tool_call_id"]) });
  return facts.done(role);
}
