import { defined } from "../../core/collections.ts";
import {
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  partsOf,
  readableContent,
  textOf,
  timeOf,
} from "./fields.ts";
import { branchTo, createMessageList, createTwinFinder, messages, warnOfOddLines } from "./message-list.ts";
import type { RecordFormat, RecordReader } from "./types.ts";

/**
 * pi's session logs. Their messages have a shape of their own; they are turned into Anthropic messages, which keep
 * thinking and its signature. Newer logs are a tree (`id`, `parentId`): the branch that ends in the last line is read.
 */
export const pi: RecordFormat = {
  matches: (record) =>
    (record.type === "session" && ("cwd" in record || "version" in record)) ||
    (record.type === "message" && isFields(record.message) && "role" in record.message),
  create: createPiReader,
};

function createPiReader(): RecordReader {
  const records: Fields[] = [];
  const finder = createTwinFinder();
  const lines = new Map<Fields, number>();
  return {
    push(record, line) {
      if (!finder.isNew(record.id, record)) return;
      records.push(record);
      lines.set(record, line);
    },
    end() {
      const list = createMessageList("pi");
      let model: string | undefined;
      let id: string | undefined;
      let results = -1;
      const leftOut = new Map<string, number>();
      const { path, broken } = branchOf(records);
      for (const record of path) {
        const type = record.type;
        if (type === "session") id = textOf(record.id);
        if (type === "session" || type === "model_change") model = textOf(record.modelId) ?? model;
        if (type === "compaction") list.compacted();
        if (type !== "message") continue;
        const line = lines.get(record)!;
        const given = fieldsOf(record.message);
        const speaks = SPEAKS.has(textOf(given.role) ?? "");
        const content = speaks ? readableContent(given.content) : given.content;
        if (content !== given.content || textOf(given.role) === undefined) list.unreadable(line);
        const message: Fields = { ...given, content };
        const time = timeOf(message.timestamp) ?? timeOf(record.timestamp);
        const part = resultPart(message);
        if (part !== undefined) {
          const before = results < 0 ? undefined : fieldsOf(list.messages[results]);
          const joined = [...listOf(before?.content), part];
          if (before === undefined) results = list.add({ role: "user", content: joined }, time);
          else list.replace(results, { role: "user", content: joined });
          continue;
        }
        const wire = wireMessage(message);
        if (wire === undefined) {
          const role = textOf(given.role);
          if (role !== undefined && !ROLES.has(role)) leftOut.set(role, (leftOut.get(role) ?? 0) + 1);
          continue;
        }
        if (message.role === "assistant") model = textOf(message.model) ?? model;
        list.add(wire, time, line);
        results = -1;
      }
      for (const [role, count] of leftOut) list.warn(`left out ${messages(count)} of role ${role}`);
      const otherBranches = countMessages(records) - countMessages(path);
      warnOfOddLines(list, { twins: finder.twins(), broken, otherBranches });
      return list.log({ dialect: "anthropic-messages", model, id });
    },
  };
}

const countMessages = (records: readonly Fields[]): number =>
  records.filter(({ type }) => type === "message").length;

/** The records from the root to the last one; all of them when the log is a plain list. */
function branchOf(records: readonly Fields[]): { readonly path: readonly Fields[]; readonly broken: number } {
  const isTree = records.some((record) => textOf(record.id) !== undefined && "parentId" in record);
  if (!isTree) return { path: records, broken: 0 };
  const isHeader = ({ type }: Fields): boolean => type === "session";
  const said = records.filter((record) => !isHeader(record));
  const lines = said.map(({ id, parentId }) => ({
    id: textOf(id),
    parent: parentId === null ? null : textOf(parentId),
  }));
  const { places, broken } = branchTo(
    lines.findLastIndex(({ id }) => id !== undefined),
    lines,
  );
  return { path: [...records.filter(isHeader), ...places.map((at) => said[at]!)], broken };
}

function resultPart(message: Fields): Fields | undefined {
  if (message.role !== "toolResult") return undefined;
  const content = listOf(message.content).map((part) => imagePart(fieldsOf(part)) ?? part);
  return defined({
    type: "tool_result",
    tool_use_id: textOf(message.toolCallId) ?? "",
    content: content.length > 0 ? content : contentText(message.content),
    is_error: message.isError === true ? true : undefined,
  });
}

/** Those whose content is a text or a list of parts. */
const SPEAKS: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);
/** Who speaks in these logs. */
const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "bashExecution"]);

function wireMessage(message: Fields): Fields | undefined {
  switch (message.role) {
    case "user": {
      if (typeof message.content === "string") return { role: "user", content: message.content };
      const content = listOf(message.content).map((part) => imagePart(fieldsOf(part)) ?? part);
      return content.length === 0 ? undefined : { role: "user", content };
    }
    case "assistant": {
      const content = partsOf(message.content).flatMap((part) => assistantPart(fieldsOf(part)));
      return content.length === 0 ? undefined : { role: "assistant", content };
    }
    case "bashExecution": {
      // A command that the person ran; the model is told about it in the person's name.
      const output = contentText(message.output);
      return { role: "user", content: `Ran \`${contentText(message.command)}\`:\n${output}` };
    }
    default:
      return undefined;
  }
}

function assistantPart(part: Fields): Fields[] {
  switch (part.type) {
    case "text":
      return textOf(part.text) === undefined ? [] : [{ type: "text", text: part.text }];
    case "thinking": {
      const signature = textOf(part.thinkingSignature);
      return [defined({ type: "thinking", thinking: contentText(part.thinking), signature })];
    }
    case "toolCall":
      return [{ type: "tool_use", id: part.id ?? "", name: part.name ?? "", input: part.arguments ?? {} }];
    default:
      return [part];
  }
}

function imagePart(part: Fields): Fields | undefined {
  if (part.type !== "image" || textOf(part.data) === undefined) return undefined;
  return {
    type: "image",
    source: { type: "base64", media_type: part.mimeType ?? "image/png", data: part.data },
  };
}
