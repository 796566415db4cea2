import { defined } from "../../core/collections.ts";
import { areMostly, contentText, type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import { createMessageList, readableOnes } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

const isMessage = (value: unknown): value is Fields =>
  isFields(value) && typeof value.role === "string" && "content" in value;

/** A SWE-agent trajectory (`.traj`): `history` is what the model was sent, as Chat Completions messages with extras. */
export const sweAgent: DocumentFormat = {
  matches: (value) => "trajectory" in value && areMostly(listOf(value.history), isMessage),
  read(value) {
    const list = createMessageList("swe-agent", "message");
    for (const [place, message] of readableOnes(list, listOf(value.history), isMessage))
      list.add(wireMessage(message), undefined, place);
    const model = textOf(fieldsOf(fieldsOf(value.replay_config).model).name);
    return list.log({ dialect: "openai-chat", model, id: textOf(value.environment) });
  },
};

function wireMessage(message: Fields): Fields {
  const role = message.role;
  if (role === "tool") {
    const id = textOf(message.tool_call_id) ?? textOf(listOf(message.tool_call_ids)[0]);
    return { role, tool_call_id: id ?? "", content: contentText(message.content) };
  }
  const calls = listOf(message.tool_calls);
  return defined({ role, content: message.content, tool_calls: calls.length > 0 ? calls : undefined });
}
