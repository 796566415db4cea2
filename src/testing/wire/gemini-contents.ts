import { isObject, type Json, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

/** Gemini: `functionCall` parts of the model answered by `functionResponse` parts of the user, with or without ids. */
export function geminiFacts(message: unknown): WireFacts {
  const facts = new FactsBuilder();
  if (!isObject(message)) return facts.done("user");
  const role = message["role"] === "model" ? "assistant" : message["role"] === "system" ? "system" : "user";
  const parts = role === "system" ? systemParts(message["content"]) : [message["parts"]].flat();
  for (const part of parts) {
    if (typeof part === "string") facts.text(part, role === "user");
    if (isObject(part)) addPart(facts, part, role === "user");
  }
  return facts.done(role);
}

function systemParts(content: unknown): unknown[] {
  return isObject(content) && "parts" in content ? [content["parts"]].flat() : [content].flat();
}

function addPart(facts: FactsBuilder, part: Json, words: boolean): void {
  const signed = str(part["thoughtSignature"] ?? part["thought_signature"]) !== "";
  const call = part["functionCall"] ?? part["function_call"];
  const result = part["functionResponse"] ?? part["function_response"];
  if (signed || part["thought"] === true) facts.reasoning++;
  if (part["thought"] === true) return;
  if (isObject(call)) {
    const name = str(call["name"]);
    if (facts.calls.length === 0) facts.callSigned = signed;
    facts.calls.push({ kind: "call", id: str(call["id"]) || `function:${name}`, name });
    facts.text(name, false);
    facts.text(JSON.stringify(call["args"] ?? {}), false);
  } else if (isObject(result)) {
    const name = str(result["name"]);
    facts.results.push({ kind: "call", id: str(result["id"]), name });
    const response = isObject(result["response"]) ? Object.values(result["response"]) : [];
    if (response.length === 1 && typeof response[0] === "string") facts.text(response[0], false);
    else facts.text(JSON.stringify(result["response"]) ?? "", false);
  } else if (typeof part["text"] === "string") facts.text(part["text"], words);
  else if (!signed || Object.keys(part).length > 1) facts.media++;
}
