import { defined } from "../../core/collections.ts";
import { chatCall, type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from "./fields.ts";
import { createMessageList } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

/** A call that isn't wrapped in `function`: `{ id, name, arguments }`. */
const isFlatCall = (value: unknown): boolean =>
  isFields(value) && typeof value.name === "string" && !("function" in value) && "arguments" in value;

const isSessionMessage = (value: unknown): value is Fields =>
  isFields(value) && typeof value.role === "string";

/** A session of messages with flat calls (`tool_calls: [{ id, name, arguments }]`), `ts` and `flags`. */
export const session: DocumentFormat = {
  matches(value) {
    const messages = listOf(value.messages);
    return (
      messages.length > 0 &&
      messages.every(isSessionMessage) &&
      (messages.some((message) => listOf(fieldsOf(message).tool_calls).some(isFlatCall)) ||
        (Array.isArray(value.compactions) && messages.some((message) => "ts" in fieldsOf(message))))
    );
  },
  read(value) {
    const list = createMessageList("session");
    const boundaries = new Set(listOf(value.compactions).map((compaction) => fieldsOf(compaction).at));
    for (const [index, message] of listOf(value.messages).filter(isSessionMessage).entries()) {
      if (boundaries.has(index)) list.compacted();
      const at = list.add(wireMessage(message), timeOf(message.ts ?? message.timestamp));
      if (fieldsOf(message.flags).compactSummary === true) list.summary(at);
    }
    const model = textOf(value.model);
    return list.log({ dialect: "openai-chat", model, id: textOf(value.id), tools: value.tools });
  },
};

function wireMessage(message: Fields): Fields {
  const calls = listOf(message.tool_calls).map((value) => {
    if (!isFlatCall(value)) return value;
    const call = fieldsOf(value);
    return chatCall(call.id, call.name, call.arguments);
  });
  return defined({
    role: message.role,
    content: message.content ?? (calls.length > 0 ? null : ""),
    reasoning_content: textOf(message.reasoning) ?? textOf(message.reasoning_content),
    tool_calls: calls.length > 0 ? calls : undefined,
    tool_call_id: textOf(message.tool_call_id),
  });
}
