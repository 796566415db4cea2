import { isObject, type Json, obj, objects, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

type Reader = (message: unknown) => WireFacts;

/** What each provider reads of one message. */
export const WIRE_READERS: Readonly<Record<string, Reader>> = {
  "openai-chat": reader(chatFacts),
  "openai-responses": reader(responsesFacts),
  "anthropic-messages": reader(anthropicFacts),
  "ai-sdk": reader(aiSdkFacts),
  "gemini-contents": reader(geminiFacts),
};

function reader(read: (message: Json, facts: FactsBuilder) => WireFacts["role"]): Reader {
  return (message) => {
    const facts = new FactsBuilder();
    return facts.done(isObject(message) ? read(message, facts) : "user");
  };
}

/** Names that providers have for roles; whoever has another one is a user. */
const ROLES: ReadonlyMap<unknown, WireFacts["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

function roleOf({ role }: Json, names: readonly string[]): WireFacts["role"] {
  return names.includes(str(role)) ? ROLES.get(role)! : "user";
}

/** Chat Completions: calls in `tool_calls`, each answered by a `tool` message in the run right behind. */
function chatFacts(message: Json, facts: FactsBuilder): WireFacts["role"] {
  const role = roleOf(message, ["system", "developer", "assistant", "tool", "function"]);
  if (role === "tool") {
    const isLegacy = message["role"] === "function";
    const id = str(isLegacy ? message["name"] : message["tool_call_id"]);
    facts.result({ kind: isLegacy ? "legacy" : "call", id }, message["content"]);
    facts.media += objects(message["content"]).filter(({ type }) => type !== "text").length;
    return role;
  }
  facts.content(message["content"], role, (part) => {
    if (part["type"] === "text") facts.say(str(part["text"]), role === "user");
    else if (part["type"] === "refusal") facts.say(str(part["refusal"]));
    else facts.other(part);
  });
  if (typeof message["refusal"] === "string") facts.say(message["refusal"]);
  for (const call of objects(message["tool_calls"])) {
    const body = isObject(call["function"]) ? call["function"] : obj(call["custom"]);
    const args = str(body["arguments"] ?? body["input"]);
    facts.call({ kind: "call", id: str(call["id"]), name: str(body["name"]) }, args);
    if (body["arguments"] !== undefined) facts.jsonArgs.push(args);
  }
  const thought = message["reasoning_content"] ?? message["reasoning"];
  if (typeof thought === "string") facts.thought(thought);
  // The form that `tool_calls` replaced has no ids: the function's name ties the two together.
  const legacy = isObject(message["function_call"]) ? str(message["function_call"]["name"]) : undefined;
  if (legacy !== undefined) facts.calls.push({ kind: "legacy", id: legacy, name: legacy, text: "" });
  return role;
}

const CALL = /^(.*)_call$/;
const OUTPUT = /^(.*)_call_output$/;
/** A request for consent is answered by the client; what it allows is answered by the provider's own call. */
const CONSENT = "mcp_approval";
const RUN = "mcp_run";

/** Responses: one item per message; calls and outputs are items of their own, joined by `call_id`. */
function responsesFacts(item: Json, facts: FactsBuilder): WireFacts["role"] {
  const type = str(item["type"]) || "message";
  const output = OUTPUT.exec(type);
  if (output) {
    facts.result({ kind: output[1] ?? "", id: str(item["call_id"]) }, item["output"]);
    return "tool";
  }
  const call = CALL.exec(type);
  if (call && item["call_id"] !== undefined) {
    const args = str(item["arguments"] ?? item["input"]);
    facts.call({ kind: call[1] ?? "", id: str(item["call_id"]), name: str(item["name"]) }, args);
    if (item["arguments"] !== undefined) facts.jsonArgs.push(args);
    return "assistant";
  }
  const approval = str(item["approval_request_id"]);
  facts.kinds.push(type);
  if (type === "reasoning")
    facts.thought(
      objects(item["summary"])
        .map((part) => str(part["text"]))
        .join(""),
    );
  else if (type === "mcp_approval_response" && approval !== "") {
    facts.results.push({ kind: CONSENT, id: approval, text: "" });
    // What was allowed and isn't seen to have run may be run once more.
    if (item["approve"] === true) facts.calls.push({ kind: RUN, id: approval, text: "" });
    return "tool";
  } else if (type !== "message") {
    facts.media++;
    if (type === "mcp_approval_request") facts.calls.push({ kind: CONSENT, id: str(item["id"]), text: "" });
    if (type === "mcp_call" && approval !== "") facts.results.push({ kind: RUN, id: approval, text: "" });
  }
  if (type !== "message") return "assistant";
  const role = roleOf(item, ["system", "developer", "assistant"]);
  facts.content(item["content"], role, (part) => {
    if (typeof part["text"] === "string") facts.say(part["text"], role === "user");
    else if (part["type"] === "refusal") facts.say(str(part["refusal"]));
    else facts.other(part);
  });
  return role;
}

/** Anthropic Messages: `tool_use` answered by `tool_result` blocks at the start of the very next user message. */
function anthropicFacts(message: Json, facts: FactsBuilder): WireFacts["role"] {
  const role = roleOf(message, ["system", "assistant"]);
  let other = false;
  facts.content(message["content"], role, (part) => {
    switch (part["type"]) {
      case "tool_use": {
        const input = JSON.stringify(part["input"]) ?? "";
        facts.call({ kind: "call", id: str(part["id"]), name: str(part["name"]) }, input);
        break;
      }
      case "tool_result":
        if (other) facts.textBeforeResult = true;
        facts.result({ kind: "call", id: str(part["tool_use_id"]) }, part["content"]);
        break;
      case "thinking":
      case "redacted_thinking":
        facts.thought(part["thinking"] ?? part["data"], part["signature"]);
        break;
      default:
        if (part["type"] === "text") facts.say(str(part["text"]), role === "user");
        else facts.other(part);
        other = true;
    }
  });
  return role;
}

/** AI SDK model messages: `tool-call` parts answered by `tool-result` parts of the tool messages right behind. */
function aiSdkFacts(message: Json, facts: FactsBuilder): WireFacts["role"] {
  const role = roleOf(message, ["system", "assistant", "tool"]);
  facts.content(message["content"], role, (part) => {
    const link = { kind: "call", id: str(part["toolCallId"]) };
    switch (part["type"]) {
      case "text":
        facts.say(str(part["text"]), role === "user");
        break;
      case "reasoning":
        facts.thought(part["text"]);
        break;
      case "tool-call":
        facts.call({ ...link, name: str(part["toolName"]) }, JSON.stringify(part["input"]) ?? "");
        if (part["providerExecuted"] === true) facts.calls.pop();
        break;
      case "tool-result": {
        const { type, value } = obj(part["output"]);
        const isText = typeof value === "string" || type === "content";
        if (isObject(part["output"])) facts.result(link, isText ? value : (JSON.stringify(value) ?? ""));
        else facts.results.push({ ...link, text: "" });
        // In an assistant message a result was made by the provider and stands beside its own call.
        if (role !== "tool") facts.results.pop();
        break;
      }
      default:
        facts.other(part);
    }
  });
  return role;
}

/** Gemini: `functionCall` parts of the model answered by `functionResponse` parts of the user, with or without ids. */
function geminiFacts(message: Json, facts: FactsBuilder): WireFacts["role"] {
  const role = roleOf(message, ["system", "model"]);
  const { content } = message;
  const isWrapped = isObject(content) && "parts" in content;
  const parts = role !== "system" ? message["parts"] : isWrapped ? content["parts"] : content;
  for (const part of [parts].flat()) {
    if (typeof part === "string") facts.say(part, role === "user");
    if (isObject(part)) addGeminiPart(facts, part, role === "user");
  }
  return role;
}

function addGeminiPart(facts: FactsBuilder, part: Json, words: boolean): void {
  const signature = str(part["thoughtSignature"] ?? part["thought_signature"]);
  const signed = signature !== "";
  const call = part["functionCall"] ?? part["function_call"];
  const result = part["functionResponse"] ?? part["function_response"];
  facts.kinds.push(Object.keys(part)[0] ?? "");
  if (signed || part["thought"] === true) facts.reasoning++;
  if (part["thought"] === true) return;
  if (isObject(call)) {
    if (signed) facts.thoughts.push(signature);
    const name = str(call["name"]);
    if (facts.calls.length === 0) facts.callSigned = signed;
    const link = { kind: "call", id: str(call["id"]) || `function:${name}`, name };
    facts.call(link, JSON.stringify(call["args"] ?? {}));
  } else if (isObject(result)) {
    const [only, ...others] = Object.values(obj(result["response"]));
    const isText = typeof only === "string" && others.length === 0;
    const text = isText ? only : (JSON.stringify(result["response"]) ?? "");
    facts.result({ kind: "call", id: str(result["id"]), name: str(result["name"]) }, text);
    for (const inner of objects(result["parts"])) facts.picture(inner);
  } else if (typeof part["text"] === "string") facts.say(part["text"], words);
  else if (!signed || Object.keys(part).length > 1) facts.other(part);
}
