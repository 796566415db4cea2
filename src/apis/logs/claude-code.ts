import { sameValue } from "../../core/same-message.ts";
import {
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  partsOf,
  readableContent,
  textOf,
  timeOf,
} from "./fields.ts";
import { counted, createMessageList, createTwinFinder, warnOfOddLines } from "./message-list.ts";
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
  matches: (record) =>
    (record.type === "user" || record.type === "assistant") &&
    isFields(record.message) &&
    ("uuid" in record || "sessionId" in record || "isSidechain" in record),
  create: createClaudeCodeReader,
};

function createClaudeCodeReader(): RecordReader {
  const list = createMessageList("claude-code");
  const lines = createTwinFinder();
  /** Answers that have the id of an earlier one. */
  let twins = 0;
  /** Index of an assistant message by the provider's message id. */
  const byId = new Map<string, number>();
  let model: string | undefined;
  let title: string | undefined;
  let sidechain = 0;
  let results = -1;
  /** Index of what the person said last. */
  let asked = -1;

  const addAssistant = (message: Fields, time: number | undefined): void => {
    const parts = partsOf(message.content);
    if (parts.length === 0) return;
    const id = textOf(message.id);
    const known = id === undefined ? undefined : byId.get(id);
    // No answer goes on behind the next question: an id that comes back there is another answer's.
    const isTwin = known !== undefined && known < asked;
    if (isTwin) twins += 1;
    if (known === undefined || isTwin) {
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
    if (!onlyResults && record.isMeta !== true) asked = index;
    if (record.isCompactSummary === true) list.summary(index);
  };

  return {
    push(record, line) {
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
      const message = fieldsOf(record.message);
      // A resumed session repeats lines of the one before it.
      if (!lines.isNew(record.uuid, message, saysTheSame)) return;
      const time = timeOf(record.timestamp);
      const isAnswer = record.type === "assistant";
      if (isAnswer && (record.isApiErrorMessage === true || message.model === SYNTHETIC_MODEL)) return;
      if (isAnswer) model = textOf(message.model) ?? model;
      const content = readableContent(message.content);
      if (content !== message.content) list.unreadable(line);
      if (isAnswer) addAssistant({ ...message, content }, time);
      else addUser(record, { ...message, content }, time);
    },
    end() {
      if (sidechain > 0) list.warn(`left out ${counted(sidechain, "line")} of sub-agents`);
      warnOfOddLines(list, { twins: twins + lines.twins() });
      return list.log({ dialect: "anthropic-messages", model, title });
    },
  };
}

/** Do two lines hold the same words of the same speaker? Counts of tokens may differ. */
const saysTheSame = (one: Fields, other: Fields): boolean =>
  one.role === other.role && one.id === other.id && sameValue(one.content, other.content);
