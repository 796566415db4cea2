import { defined } from "../../core/collections.ts";
import { nameText } from "../shared/fields.ts";
import { isGeminiMessage } from "../shared/reading.ts";
import {
  areMostly,
  contentText,
  type Fields,
  fieldsOf,
  isFields,
  isReadablePart,
  listOf,
  textOf,
  timeOf,
} from "./fields.ts";
import { counted, createMessageList, type MessageList, readableOnes } from "./message-list.ts";
import type { DocumentFormat } from "./types.ts";

/** A message as the AI SDK's interface keeps it: it has `parts`, not `content`. */
export const isUiMessage = (value: unknown): value is Fields =>
  isFields(value) && typeof value.role === "string" && Array.isArray(value.parts) && !isGeminiMessage(value);

/** Chats stored by an AI SDK interface (`UIMessage[]`), as the ModelMessages that the SDK would send. */
export const aiSdkUi: DocumentFormat = {
  matches: (value) => areMostly(listOf(value.messages), isUiMessage),
  read(value) {
    const list = createMessageList("ai-sdk-ui", "message");
    let unfinished = 0;
    for (const [place, message] of readableOnes(list, listOf(value.messages), isUiMessage)) {
      if (!listOf(message.parts).every(isReadablePart)) list.unreadable(place);
      const parts = listOf(message.parts).filter(isReadablePart).map(fieldsOf);
      unfinished += parts.filter((part) => isToolPart(part) && part.state === "input-streaming").length;
      addMessage(list, message, parts);
    }
    if (unfinished > 0)
      list.warn(
        `left out ${counted(unfinished, "call")} that ${unfinished === 1 ? "was" : "were"} still being written`,
      );
    const { title, id, model, system } = value;
    return list.log({
      dialect: "ai-sdk",
      title: textOf(title),
      id: textOf(id),
      model: textOf(model),
      system: textOf(system),
    });
  },
};

function addMessage(list: MessageList, message: Fields, parts: readonly Fields[]): void {
  const time = timeOf(message.createdAt) ?? timeOf(fieldsOf(message.metadata).createdAt);
  if (message.role === "system") {
    list.add({ role: "system", content: contentText(parts.filter((part) => part.type === "text")) }, time);
  } else if (message.role === "user") {
    const content = parts.flatMap(contentPart);
    if (content.length > 0) list.add({ role: "user", content }, time);
  } else {
    // `step-start` separates one answer of the model from the next one.
    let step: Fields[] = [];
    for (const part of parts) {
      if (part.type === "step-start") {
        addStep(list, step, time);
        step = [];
      } else step.push(part);
    }
    addStep(list, step, time);
  }
}

const isToolPart = (part: Fields): boolean =>
  part.type === "dynamic-tool" || (typeof part.type === "string" && part.type.startsWith("tool-"));

const toolName = (part: Fields): string =>
  part.type === "dynamic-tool" ? nameText(part.toolName ?? "") : nameText(part.type).slice("tool-".length);

function addStep(list: MessageList, step: readonly Fields[], time: number | undefined): void {
  const content: Fields[] = [];
  const results: Fields[] = [];
  for (const part of step) {
    if (!isToolPart(part)) {
      content.push(...contentPart(part));
      continue;
    }
    if (part.state === "input-streaming") continue;
    const call = { toolCallId: part.toolCallId ?? "", toolName: toolName(part) };
    const atProvider = part.providerExecuted === true;
    const input = part.input ?? part.rawInput ?? {};
    content.push(
      defined({ type: "tool-call", ...call, input, providerExecuted: atProvider ? true : undefined }),
    );
    const output = outputOf(part);
    if (output === undefined) continue;
    (atProvider ? content : results).push({ type: "tool-result", ...call, output });
  }
  if (content.length > 0) list.add({ role: "assistant", content }, time);
  if (results.length > 0) list.add({ role: "tool", content: results }, time);
}

function outputOf(part: Fields): Fields | undefined {
  switch (part.state) {
    case "output-available": {
      const output = part.output;
      return typeof output === "string"
        ? { type: "text", value: output }
        : { type: "json", value: output === undefined ? null : output };
    }
    case "output-error":
      return { type: "error-text", value: contentText(part.errorText) };
    case "output-denied":
      return { type: "error-text", value: textOf(fieldsOf(part.approval).reason) ?? "The call was denied." };
    default:
      return undefined;
  }
}

/** What the model reads; parts for the interface only (`data-*`, `source-*`) are left out. */
function contentPart(part: Fields): Fields[] {
  const providerOptions = part.providerMetadata;
  switch (part.type) {
    case "text":
      return [defined({ type: "text", text: contentText(part.text), providerOptions })];
    case "reasoning":
      return [defined({ type: "reasoning", text: contentText(part.text), providerOptions })];
    case "file":
      return [
        defined({
          type: "file",
          mediaType: part.mediaType,
          filename: part.filename,
          data: part.url,
          providerOptions,
        }),
      ];
    default:
      return [];
  }
}
