import { fieldsOf, isFields, listOf, readableContent, textOf, timeOf } from "./fields.ts";
import { counted, createMessageList } from "./message-list.ts";
import type { RecordFormat, RecordReader } from "./types.ts";

const RECORD_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

/** Items of the Responses API that are part of a conversation. */
const ITEM_TYPES: ReadonlySet<unknown> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "web_search_call",
  "image_generation_call",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
]);

/** Codex's rollout logs (`~/.codex/sessions/…/*.jsonl`): every `response_item` is an item of the Responses API. */
export const codex: RecordFormat = {
  matches: (record) => RECORD_TYPES.has(record.type) && isFields(record.payload),
  create: createCodexReader,
};

function createCodexReader(): RecordReader {
  const list = createMessageList("codex");
  const skipped = new Map<string, number>();
  let model: string | undefined;
  let system: string | undefined;
  let id: string | undefined;
  return {
    push(record, line) {
      const payload = fieldsOf(record.payload);
      switch (record.type) {
        case "session_meta":
          system ??= textOf(fieldsOf(payload.base_instructions).text) ?? textOf(payload.instructions);
          id ??= textOf(payload.id);
          return;
        case "turn_context":
          model = textOf(payload.model) ?? model;
          return;
        case "compacted":
          list.compacted();
          return;
        case "response_item": {
          const kind = textOf(payload.type);
          if (kind === undefined) return list.unreadable(line);
          if (!ITEM_TYPES.has(kind)) {
            skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
            return;
          }
          const content = kind === "message" ? readableContent(payload.content) : payload.content;
          const isWhole = content === payload.content;
          if (!isWhole) list.unreadable(line);
          if (isWhole || listOf(content).length > 0)
            list.add(isWhole ? payload : { ...payload, content }, timeOf(record.timestamp), line);
        }
      }
    },
    end() {
      for (const [kind, count] of skipped) list.warn(`left out ${counted(count, "item")} of type ${kind}`);
      return list.log({ dialect: "openai-responses", system, model, id });
    },
  };
}
