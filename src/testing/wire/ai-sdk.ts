import { isObject, objects, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

/** AI SDK model messages: `tool-call` parts answered by `tool-result` parts of the tool messages right behind. */
export function aiSdkFacts(message: unknown): WireFacts {
  const facts = new FactsBuilder();
  if (!isObject(message)) return facts.done("user");
  const role =
    message["role"] === "assistant" || message["role"] === "system" || message["role"] === "tool"
      ? message["role"]
      : "user";
  const content = message["content"];
  if (typeof content === "string") facts.text(content, role === "user");
  for (const part of objects(content)) {
    switch (part["type"]) {
      case "text":
        facts.text(str(part["text"]), role === "user");
        break;
      case "reasoning":
        facts.reasoning++;
        break;
      case "tool-call":
        facts.text(str(part["toolName"]), false);
        facts.text(JSON.stringify(part["input"]) ?? "", false);
        if (part["providerExecuted"] !== true)
          facts.calls.push({ kind: "call", id: str(part["toolCallId"]), name: str(part["toolName"]) });
        break;
      case "tool-result": {
        // In an assistant message a result was made by the provider and stands beside its own call.
        if (role === "tool") facts.results.push({ kind: "call", id: str(part["toolCallId"]) });
        const output = part["output"];
        if (isObject(output)) {
          if (typeof output["value"] === "string") facts.text(output["value"], false);
          else if (output["type"] === "content")
            for (const inner of objects(output["value"])) facts.text(str(inner["text"]), false);
          else facts.text(JSON.stringify(output["value"]) ?? "", false);
        }
        break;
      }
      default:
        facts.media++;
    }
  }
  return facts.done(role);
}
