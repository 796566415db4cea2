import { isObject, objects, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

/** Anthropic Messages: `tool_use` answered by `tool_result` blocks at the start of the very next user message. */
export function anthropicFacts(message: unknown): WireFacts {
  const facts = new FactsBuilder();
  if (!isObject(message)) return facts.done("user");
  const role =
    message["role"] === "assistant" ? "assistant" : message["role"] === "system" ? "system" : "user";
  const content = message["content"];
  if (typeof content === "string") facts.text(content, role === "user");
  let other = false;
  for (const part of objects(content)) {
    switch (part["type"]) {
      case "text":
        facts.text(str(part["text"]), role === "user");
        other = true;
        break;
      case "tool_use":
        facts.calls.push({ kind: "call", id: str(part["id"]), name: str(part["name"]) });
        facts.text(str(part["name"]), false);
        facts.text(JSON.stringify(part["input"]) ?? "", false);
        break;
      case "tool_result": {
        facts.results.push({ kind: "call", id: str(part["tool_use_id"]) });
        if (other) facts.textBeforeResult = true;
        const value = part["content"];
        if (typeof value === "string") facts.text(value, false);
        for (const inner of objects(value)) facts.text(str(inner["text"]), false);
        break;
      }
      case "thinking":
      case "redacted_thinking":
        facts.reasoning++;
        break;
      default:
        facts.media++;
        other = true;
    }
  }
  return facts.done(role);
}
