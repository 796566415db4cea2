import { tryParseExact } from "../../core/json.ts";
import { nameText } from "../shared/fields.ts";
import {
  areMostly,
  argsText,
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  isReadableText,
  listOf,
  textOf,
} from "./fields.ts";
import { createMessageList } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

const ROLES: Readonly<Record<string, "system" | "user" | "assistant" | "call" | "result">> = {
  system: "system",
  human: "user",
  user: "user",
  prompter: "user",
  gpt: "assistant",
  chatgpt: "assistant",
  bing: "assistant",
  bard: "assistant",
  assistant: "assistant",
  model: "assistant",
  function_call: "call",
  tool_call: "call",
  observation: "result",
  tool: "result",
  function: "result",
};

const isTurn = (value: unknown): value is Fields =>
  isFields(value) && typeof value.from === "string" && "value" in value;

const turnsOf = (value: Fields): readonly unknown[] =>
  listOf(value.conversations ?? value.conversation ?? value.items);

/** ShareGPT's export and the training sets that follow it: `{ conversations: [{ from, value }] }`. */
export const sharegpt: DocumentFormat = {
  matches: (value) => areMostly(turnsOf(value), isTurn),
  read(value) {
    const list = createMessageList("sharegpt", "message");
    let calls = 0;
    let open: string | undefined;
    const system = textOf(value.system);
    if (system !== undefined) list.add({ role: "system", content: system }, undefined);
    for (const [at, turn] of turnsOf(value).entries()) {
      if (!isTurn(turn) || turn.value === null || !isReadableText(turn.value)) {
        list.unreadable(at + 1);
        continue;
      }
      const from = nameText(turn.from).toLowerCase();
      const content = contentText(turn.value);
      const role = ROLES[from];
      const call = role === "call" ? parseCall(content) : undefined;
      if (call !== undefined) {
        calls += 1;
        open = `call_${calls}`;
        const toolCalls = [{ id: open, type: "function", function: call }];
        list.add({ role: "assistant", content: null, tool_calls: toolCalls }, undefined);
      } else if (role === "result" && open !== undefined) {
        list.add({ role: "tool", tool_call_id: open, content }, undefined);
        open = undefined;
      } else {
        if (role === undefined) list.warn(`unknown speaker "${from}" is read as the user`);
        const plain = role === "call" ? "assistant" : role === "result" ? "user" : (role ?? "user");
        list.add({ role: plain, content }, undefined);
      }
    }
    const model = textOf(value.model);
    return list.log({
      dialect: "openai-chat",
      model,
      id: textOf(value.id),
      tools: parseTools(value.tools),
    });
  },
};

/** A call written as JSON text: `{ "name": …, "arguments": … }`. */
function parseCall(text: string): { name: string; arguments: string } | undefined {
  const value = fieldsOf(tryParseExact(text));
  const name = textOf(value.name);
  return name === undefined ? undefined : { name, arguments: argsText(value.arguments) };
}

function parseTools(value: unknown): unknown {
  const tools = typeof value === "string" ? tryParseExact(value) : value;
  return Array.isArray(tools) && tools.length > 0 ? tools : undefined;
}
