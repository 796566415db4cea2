import { isJson, type Json, listOf, textOf } from "../shared/fields.ts";
import { anthropicMessages } from "./index.ts";
import { isReasoningPart } from "./read.ts";

/** What a message says as a list of parts: a text alone is one. */
export function partsOf(content: unknown): readonly unknown[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

/**
 * Anthropic refuses thoughts of the tool loop under way in a request that doesn't think, so they leave with it. A model that decides
 * itself when it thinks needs none of them.
 */
export function withoutThinking(body: Json): Json {
  if (isJson(body["thinking"]) && body["thinking"]["type"] !== "enabled") return body;
  const { thinking: _, context_management: management, messages, ...rest } = body;
  const bare = { ...rest, messages: withoutThoughts(listOf(messages)) };
  if (!isJson(management)) return bare;
  // Clearing of thinking is refused where there is none.
  const edits = listOf(management["edits"]).filter(
    (edit) => !(isJson(edit) && textOf(edit["type"])?.startsWith("clear_thinking")),
  );
  return edits.length === 0 ? bare : { ...bare, context_management: { ...management, edits } };
}

/**
 * The request without thinking where its tool loop under way doesn't begin with a thought: Anthropic refuses such a loop where a budget
 * for thinking is set. The model may have called a tool of precis's own without one, or thinking was off when the loop began.
 */
export function withLoopThinking(body: Json): Json {
  const { thinking } = body;
  if (!isJson(thinking) || thinking["type"] !== "enabled") return body;
  const messages = listOf(body["messages"]);
  const first = messages.slice(loopStart(messages)).find(isAnswer);
  return first === undefined || isThought(partsOf(first["content"])[0]) ? body : withoutThinking(body);
}

/** Where the tool loop under way begins, behind the user's last words; the number of messages where the model isn't in one. */
function loopStart(messages: readonly unknown[]): number {
  if (!hasResults(messages.at(-1))) return messages.length;
  return messages.findLastIndex((message) => !isAnswer(message) && !hasResults(message)) + 1;
}

function withoutThoughts(messages: readonly unknown[]): readonly unknown[] {
  const start = loopStart(messages);
  return messages.map((message, at) =>
    at >= start && isAnswer(message) && partsOf(message["content"]).some(isThought)
      ? anthropicMessages.edit(message, [{ type: "strip-reasoning", why: "signed-reasoning" }])
      : message,
  );
}

function isAnswer(message: unknown): message is Json & { readonly role: "assistant" } {
  return isJson(message) && message["role"] === "assistant";
}

function hasResults(message: unknown): boolean {
  return (
    isJson(message) &&
    message["role"] === "user" &&
    partsOf(message["content"]).some((part) => isJson(part) && part["type"] === "tool_result")
  );
}

export function isThought(part: unknown): boolean {
  return isJson(part) && isReasoningPart(part);
}
