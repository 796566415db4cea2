import { isObject, objects, str } from "../json.ts";
import { FactsBuilder, type WireFacts } from "./facts.ts";

const CALL = /^(.*)_call$/;
const OUTPUT = /^(.*)_call_output$/;

/** A request for consent is answered by the client; what it allows is answered by the provider's own call. */
const CONSENT = "mcp_approval";
const RUN = "mcp_run";

/** Responses: one item per message; calls and outputs are items of their own, joined by `call_id`. */
export function responsesFacts(item: unknown): WireFacts {
  const facts = new FactsBuilder();
  if (!isObject(item)) return facts.done("user");
  const type = str(item["type"]) || "message";
  const output = OUTPUT.exec(type);
  if (output) {
    facts.results.push({ kind: output[1] ?? "", id: str(item["call_id"]) });
    const value = item["output"];
    if (typeof value === "string") facts.text(value, false);
    for (const part of objects(value)) facts.text(str(part["text"]), false);
    return facts.done("tool");
  }
  const call = CALL.exec(type);
  if (call && item["call_id"] !== undefined) {
    facts.calls.push({ kind: call[1] ?? "", id: str(item["call_id"]), name: str(item["name"]) });
    facts.text(str(item["name"]), false);
    const args = str(item["arguments"] ?? item["input"]);
    facts.text(args, false);
    if (item["arguments"] !== undefined) facts.jsonArgs.push(args);
    return facts.done("assistant");
  }
  if (type === "reasoning") {
    facts.reasoning++;
    return facts.done("assistant");
  }
  const approval = str(item["approval_request_id"]);
  if (type === "mcp_approval_response" && approval !== "") {
    facts.results.push({ kind: CONSENT, id: approval });
    // What was allowed and isn't seen to have run may be run once more.
    if (item["approve"] === true) facts.calls.push({ kind: RUN, id: approval });
    return facts.done("tool");
  }
  if (type !== "message") {
    facts.media++;
    if (type === "mcp_approval_request") facts.calls.push({ kind: CONSENT, id: str(item["id"]) });
    if (type === "mcp_call" && approval !== "") facts.results.push({ kind: RUN, id: approval });
    return facts.done("assistant");
  }
  const role =
    item["role"] === "assistant"
      ? "assistant"
      : item["role"] === "system" || item["role"] === "developer"
        ? "system"
        : "user";
  const content = item["content"];
  if (typeof content === "string") facts.text(content, role === "user");
  for (const part of objects(content)) {
    if (typeof part["text"] === "string") facts.text(part["text"], role === "user");
    else if (part["type"] === "refusal") facts.text(str(part["refusal"]), false);
    else facts.media++;
  }
  return facts.done(role);
}
