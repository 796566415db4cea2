import {
  areMostly,
  chatCall,
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

const isEntry = (value: unknown): value is Fields =>
  isFields(value) && Array.isArray(value.parts) && typeof fieldsOf(value.info).role === "string";

/**
 * What `opencode export` prints: `{ info, messages: [{ info, parts }] }`. A call and its result are one part there; they
 * become the two messages that the model saw.
 */
export const opencode: DocumentFormat = {
  matches: (value) => isFields(value.info) && areMostly(listOf(value.messages), isEntry),
  read(value) {
    const list = createMessageList("opencode", "message");
    const leftOut = { calls: 0, files: 0 };
    let model: string | undefined;
    for (const [place, entry] of readableOnes(list, listOf(value.messages), isEntry)) {
      if (!listOf(entry.parts).every(isReadablePart)) list.unreadable(place);
      const info = fieldsOf(entry.info);
      const time = timeOf(fieldsOf(info.time).created);
      const parts = listOf(entry.parts).filter(isReadablePart).map(fieldsOf);
      leftOut.files += parts.filter((part) => part.type === "file").length;
      if (info.role === "user") {
        const content = textsOf(parts).join("\n\n");
        if (content !== "") list.add({ role: "user", content }, time);
        continue;
      }
      model = textOf(info.modelID) ?? model;
      const from = list.messages.length;
      leftOut.calls += addAnswer(list, parts, time);
      // The client wrote it when it compacted; the messages that it speaks for stand before it.
      if (info.summary === true) for (let at = from; at < list.messages.length; at++) list.summary(at);
    }
    if (leftOut.calls > 0) list.warn(`left out ${counted(leftOut.calls, "call")} without a result`);
    if (leftOut.files > 0) list.warn(`left out ${counted(leftOut.files, "attached file")}`);
    const { title, id } = fieldsOf(value.info);
    return list.log({ dialect: "openai-chat", model, title: textOf(title), id: textOf(id) });
  },
};

const isText = (part: Fields): boolean => part.type === "text" && part.ignored !== true;

const textsOf = (parts: readonly Fields[]): string[] =>
  parts.flatMap((part) => (isText(part) && textOf(part.text)) || []);

/** Adds an answer, cut where it went on after results; returns how many calls have no result. */
function addAnswer(list: MessageList, parts: readonly Fields[], time: number | undefined): number {
  let said: Fields[] = [];
  let calls: Fields[] = [];
  let unfinished = 0;
  const add = (): void => {
    const content = textsOf(said).join("\n\n");
    if (calls.length > 0) {
      const toolCalls = calls.map(({ callID, tool, state }) =>
        chatCall(textOf(callID), tool, fieldsOf(state).input),
      );
      list.add({ role: "assistant", content: content === "" ? null : content, tool_calls: toolCalls }, time);
    } else if (content !== "") list.add({ role: "assistant", content }, time);
    for (const part of calls) {
      const state = fieldsOf(part.state);
      const result = contentText(state.status === "error" ? state.error : state.output);
      list.add({ role: "tool", tool_call_id: textOf(part.callID) ?? "", content: result }, time);
    }
    [said, calls] = [[], []];
  };
  for (const part of parts) {
    if (part.type === "tool") {
      const { status } = fieldsOf(part.state);
      if (status === "completed" || status === "error") calls.push(part);
      else unfinished++;
    } else if (isText(part)) {
      if (calls.length > 0) add();
      said.push(part);
    }
  }
  add();
  return unfinished;
}
