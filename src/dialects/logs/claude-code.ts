import { type Fields, fieldsOf, isFields, listOf, textOf, timeOf } from "./fields.ts";
import { createMessageList } from "./message-list.ts";
import type { RecordFormat, RecordReader } from "./types.ts";

/** The model name of messages that the client made up itself, such as "request interrupted". */
const SYNTHETIC_MODEL = "<synthetic>";

/**
 * Claude Code's session logs (`~/.claude/projects/…/*.jsonl`).
 *
 * One assistant message is written as several lines, one per part, with the results of its first calls between them:
 * the parts are joined by message id, and results are joined into one message, as they were on the wire. Lines of
 * sub-agents, snapshots and interface events are left out. Texts that the client added in the user's name (`isMeta`:
 * the body of a skill, a command's output) stay, because the model was sent them.
 */
export const claudeCode: RecordFormat = {
  source: "claude-code",
  matches: (record) =>
    (record.type === "user" || record.type === "assistant") &&
    isFields(record.message) &&
    ("uuid" in record || "sessionId" in record || "isSidechain" in record),
  create: createClaudeCodeReader,
};

function createClaudeCodeReader(): RecordReader {
  const list = createMessageList("claude-code");
  const seen = new Set<string>();
  /** Index of an assistant message by the provider's message id. */
  const byId = new Map<string, number>();
  let model: string | undefined;
  let title: string | undefined;
  let sidechain = 0;
  let results = -1;

  const addAssistant = (message: Fields, time: number | undefined): void => {
    const parts = listOf(message.content);
    if (parts.length === 0) return;
    const id = textOf(message.id);
    const known = id === undefined ? undefined : byId.get(id);
    if (known === undefined) {
      const index = list.add({ role: "assistant", content: [...parts] }, time);
      if (id !== undefined) byId.set(id, index);
      results = -1;
    } else {
      const before = fieldsOf(list.messages[known]);
      list.replace(known, { role: "assistant", content: [...listOf(before.content), ...parts] });
    }
  };

  const addUser = (record: Fields, message: Fields, time: number | undefined): void => {
    const content = message.content;
    const parts = listOf(content);
    const onlyResults = parts.length > 0 && parts.every((part) => fieldsOf(part).type === "tool_result");
    if (onlyResults && results >= 0) {
      const before = fieldsOf(list.messages[results]);
      list.replace(results, { role: "user", content: [...listOf(before.content), ...parts] });
      return;
    }
    if (parts.length === 0 && textOf(content) === undefined) return;
    const index = list.add({ role: "user", content }, time);
    results = onlyResults ? index : -1;
    if (record.isCompactSummary === true) list.summary(index);
  };

  return {
    push(record) {
      if (record.type === "summary") title ??= textOf(record.summary);
      if (record.type === "system" && record.subtype === "compact_boundary") {
        list.compacted();
        results = -1;
      }
      if (record.type !== "user" && record.type !== "assistant") return;
      if (record.isSidechain === true) {
        sidechain += 1;
        return;
      }
      // A resumed session repeats lines of the one before it.
      const uuid = textOf(record.uuid);
      if (uuid !== undefined && seen.has(uuid)) return;
      if (uuid !== undefined) seen.add(uuid);
      const message = fieldsOf(record.message);
      const time = timeOf(record.timestamp);
      if (record.type === "assistant") {
        if (record.isApiErrorMessage === true || message.model === SYNTHETIC_MODEL) return;
        model = textOf(message.model) ?? model;
        addAssistant(message, time);
      } else addUser(record, message, time);
    },
    end() {
      if (sidechain > 0) list.warn(`left out ${sidechain} lines of sub-agents`);
      return list.log({ dialect: "anthropic-messages", model, title });
    },
  };
}
