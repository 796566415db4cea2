import type { DialectId } from "../../core/types.ts";
import { dialectOfPart, hasChatFields, isGeminiMessage } from "../shared/reading.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from "./fields.ts";
import { createMessageList } from "./message-list.ts";
import type { DocumentFormat, LogOptions, LogSource, TranscriptLog } from "./types.ts";

/** A message of any wire format that has roles, an item of the Responses API, or a message of Gemini's. */
export const isWireMessage = (value: unknown): value is Fields =>
  isFields(value) &&
  (isGeminiMessage(value) ||
    (typeof value.role === "string" && ("content" in value || "tool_calls" in value)) ||
    (typeof value.type === "string" && ("call_id" in value || value.type === "reasoning")));

const SOURCES: Readonly<Record<string, LogSource>> = {
  "openai-chat": "openai-request",
  "anthropic-messages": "anthropic-request",
  "openai-responses": "responses-request",
};

/** Fields that make `{ messages }` the body of a request rather than just a list in an object. */
const REQUEST_FIELDS = ["model", "tools", "system", "temperature", "max_tokens", "stream", "tool_choice"];

/** A request body, or any object with `messages`: the messages pass as the very same objects. */
export const messagesRequest: DocumentFormat = {
  matches: (value) => listOf(value.messages).length > 0 && listOf(value.messages).every(isWireMessage),
  read(value, options) {
    const messages = listOf(value.messages);
    const dialect = options.dialect ?? requestDialect(value, messages);
    const isRequest = REQUEST_FIELDS.some((field) => field in value);
    return wireLog({ source: (isRequest && SOURCES[dialect]) || "messages", dialect, messages, value });
  },
};

/** A Responses API request: `input` is a text or a list of items, `instructions` is the system prompt. */
export const responsesRequest: DocumentFormat = {
  matches: (value) =>
    !("messages" in value) &&
    ((typeof value.input === "string" && ("model" in value || "instructions" in value)) ||
      (listOf(value.input).length > 0 && listOf(value.input).every(isWireMessage))),
  read(value, options) {
    const input = value.input;
    const messages = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
    const dialect = options.dialect ?? "openai-responses";
    return wireLog({ source: "responses-request", dialect, messages, value });
  },
};

/** A request of Gemini's API: `contents`, and the system prompt as `systemInstruction`. */
export const geminiRequest: DocumentFormat = {
  matches: (value) => listOf(value.contents).length > 0 && listOf(value.contents).every(isWireMessage),
  read(value, options) {
    const system = value.systemInstruction ?? value.system_instruction;
    return wireLog({
      source: "gemini-request",
      dialect: options.dialect ?? "gemini-contents",
      messages: listOf(value.contents),
      value: { ...value, ...(system !== undefined && { system }) },
    });
  },
};

/** A bare list: `[{ role, content }]` or Responses items. */
export function readMessages(messages: readonly unknown[], options: LogOptions): TranscriptLog {
  const dialect = options.dialect ?? guessDialect(messages) ?? "openai-chat";
  return wireLog({ source: "messages", dialect, messages, value: {} });
}

function requestDialect(value: Fields, messages: readonly unknown[]): DialectId {
  const guessed = guessDialect(messages) ?? guessByTools(value.tools);
  if (guessed !== undefined) return guessed;
  const hasSystemMessage = messages.some((message) => fieldsOf(message).role === "system");
  if ("anthropic_version" in value || "stop_sequences" in value) return "anthropic-messages";
  if (value.system !== undefined && !hasSystemMessage) return "anthropic-messages";
  const claude = textOf(value.model)?.startsWith("claude") ?? false;
  return claude && "max_tokens" in value && !hasSystemMessage ? "anthropic-messages" : "openai-chat";
}

function wireLog({
  source,
  dialect,
  messages,
  value,
}: {
  source: LogSource;
  dialect: DialectId;
  messages: readonly unknown[];
  value: Fields;
}): TranscriptLog {
  const list = createMessageList(source);
  for (const message of messages) {
    const { ts, timestamp, created_at: createdAt } = fieldsOf(message);
    list.add(message, timeOf(ts ?? timestamp ?? createdAt));
  }
  return list.log({
    dialect,
    system: value.system ?? value.instructions ?? undefined,
    tools: listOf(value.tools).length > 0 ? value.tools : undefined,
    model: textOf(value.model),
    title: textOf(value.title) ?? textOf(value.name),
    id: textOf(value.id),
  });
}

/** The wire format of a list of messages by the shapes that only one format has; undefined when any would do. */
function guessDialect(messages: readonly unknown[]): DialectId | undefined {
  let openai = false;
  for (const value of messages) {
    const message = fieldsOf(value);
    if (isGeminiMessage(message)) return "gemini-contents";
    if (message.type === "reasoning" && !("role" in message)) return "openai-responses";
    for (const part of [message, ...listOf(message.content).map(fieldsOf)]) {
      const { type, image } = part;
      const isOfSdk = part !== message && (type === "reasoning" || type === "image" || image !== undefined);
      const known = dialectOfPart(part) ?? (isOfSdk ? "ai-sdk" : undefined);
      if (known !== undefined) return known;
    }
    if (hasChatFields(message)) return "openai-chat";
    openai ||= message.role === "developer";
  }
  return openai ? "openai-chat" : undefined;
}

/** The wire format of tool schemas. */
function guessByTools(tools: unknown): DialectId | undefined {
  const tool: Fields = fieldsOf(listOf(tools)[0]);
  if ("input_schema" in tool) return "anthropic-messages";
  if ("function" in tool) return "openai-chat";
  return undefined;
}
