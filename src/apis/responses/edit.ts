import { contentHash } from "../../core/hash.ts";
import { isRecord, parseExact } from "../../core/json.ts";
import type { Message } from "../../core/types.ts";
import { type EditCursor, editParts, lockedPart, resultContent } from "../shared/edit.ts";
import { EMPTY_TEXT, legalText, nameText, PARAGRAPH, toArgsText } from "../shared/fields.ts";
import { ID, itemType, type ResponsesItem, type ResponsesPart, write } from "./read.ts";

/**
 * The item with the edits applied. A `reasoning` item whose reasoning is stripped has nothing left: whoever asks for
 * it gets an assistant message `(empty)` in its place, and had better drop the item.
 */
export function edit(item: ResponsesItem, cursor: EditCursor, message: Message): ResponsesItem {
  const type = itemType(item);
  const next =
    type === "message"
      ? editMessage(item, cursor)
      : type === "reasoning"
        ? editReasoning(item, cursor)
        : editItem(item, cursor, message.parts);
  return cursor.strip && message.role === "assistant" ? asNew(next) : next;
}

/**
 * The API remembers by their ids which items came with which reasoning, and refuses one without the other. Items whose
 * reasoning has left are sent as new ones: without an id, or with another one where the schema wants one (a message whose content
 * is a list of what the model put out).
 */
function asNew(item: ResponsesItem): ResponsesItem {
  const type = itemType(item);
  if (type !== "message" && type !== "function_call" && type !== "custom_tool_call") return item;
  const { id, ...rest } = item;
  if (typeof id !== "string") return item;
  if (type !== "message" || !Array.isArray(item.content)) return rest;
  return { ...item, id: id.startsWith(NEW_ID) ? id : NEW_ID + contentHash(id).slice(0, NEW_ID_DIGITS) };
}

/** Ids of messages begin like this, and what follows is ours: the same for the same message, so that views stay the same. */
const NEW_ID = "msg_precis";
/** Ids longer than 64 characters are refused. */
const NEW_ID_DIGITS = 32;

function editReasoning(item: ResponsesItem, cursor: EditCursor): ResponsesItem {
  if (cursor.append.length > 0) return write({ role: "assistant", text: cursor.append.join(PARAGRAPH) });
  return cursor.strip ? write({ role: "assistant", text: EMPTY_TEXT }) : item;
}

function editMessage(item: ResponsesItem, cursor: EditCursor): ResponsesItem {
  const { role } = item;
  let content = item.content as string | readonly ResponsesPart[];
  if (typeof content === "string") {
    const text = content === "" ? undefined : cursor.next();
    if (text !== undefined) content = legalText(text);
    if (cursor.append.length > 0) {
      content = [content, ...cursor.append].filter((each) => each !== "").join(PARAGRAPH);
    }
  } else {
    content = editParts(content, cursor, {
      isReasoning: () => false,
      replace: (part, text) => replacePart(part, text, role),
    });
    if (cursor.append.length > 0)
      content = [...content, ...cursor.append.map((text) => textPart(text, role))];
  }
  return { ...item, content };
}

function textPart(text: string, role: string | undefined): ResponsesPart {
  return { type: role === "assistant" ? "output_text" : "input_text", text: legalText(text) };
}

function replacePart(part: ResponsesPart, text: string, role: string | undefined): ResponsesPart {
  const type = typeof part === "string" ? "text" : part.type;
  switch (type) {
    case "refusal":
      return { ...part, refusal: legalText(text) };
    case "output_text": {
      // Annotations and logprobs point into the text that is gone; the schema wants both lists.
      return {
        ...part,
        text: legalText(text),
        ...("annotations" in part ? { annotations: [] } : {}),
        ...("logprobs" in part ? { logprobs: [] } : {}),
      };
    }
    case "input_text":
    case "text":
    case "summary_text":
      return typeof part === "string" ? textPart(text, role) : { ...part, text: legalText(text) };
    case "input_image":
    case "input_file": {
      // A cache breakpoint belongs to the place, not to the picture.
      const { prompt_cache_breakpoint: marker } = part as { prompt_cache_breakpoint?: unknown };
      return {
        ...textPart(text, role),
        ...(marker === undefined ? {} : { prompt_cache_breakpoint: marker }),
      };
    }
    default:
      throw lockedPart(ID, nameText(type));
  }
}

function editItem(item: ResponsesItem, cursor: EditCursor, parts: Message["parts"]): ResponsesItem {
  let next = item;
  for (const part of parts) {
    const text = cursor.next();
    if (text !== undefined) next = replaceItem(next, text);
    if (cursor.append.length > 0) {
      if (part.type !== "tool-result") throw lockedPart(ID, nameText(item.type));
      next = appendOutput(next, text ?? part.text, cursor.append);
    }
  }
  return next;
}

/** A list of texts and pictures grows by a text; other outputs are one text. */
function appendOutput(item: ResponsesItem, text: string, added: readonly string[]): ResponsesItem {
  const { type, output } = item;
  if (Array.isArray(output) && (type === "function_call_output" || type === "custom_tool_call_output")) {
    return { ...item, output: [...output, ...added.map((each) => textPart(each, undefined))] };
  }
  return replaceItem(item, [text, ...added].join(PARAGRAPH));
}

/** A call or an output with a new text. Where the API demands a shape, the text goes into its free field. */
function replaceItem(item: ResponsesItem, text: string): ResponsesItem {
  switch (item.type) {
    case "function_call":
      return { ...item, arguments: toArgsText(text) };
    case "custom_tool_call":
      return { ...item, input: text };
    case "local_shell_call":
      return { ...item, action: shaped(item.action, text, { command: [text] }) };
    case "shell_call":
      return { ...item, action: shaped(item.action, text, { commands: [text] }) };
    case "apply_patch_call":
      return { ...item, operation: shaped(item.operation, text, { diff: text }) };
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...item, output: resultContent(item.output, text, { type: "input_text", text }) };
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return { ...item, output: text };
    case "shell_call_output":
      return { ...item, output: shellOutput(item.output, text) };
    default:
      throw lockedPart(ID, nameText(item.type));
  }
}

/** JSON text with the fields of the object becomes the object; other text goes into one field of it. */
function shaped(before: unknown, text: string, fallback: Record<string, unknown>): unknown {
  const fields = isRecord(before) ? before : {};
  try {
    const value = parseExact(text);
    if (isRecord(value) && Object.keys(fallback).every((key) => key in value)) return { ...fields, ...value };
  } catch {
    // Clipped arguments usually aren't valid JSON any more.
  }
  return { ...fields, ...fallback };
}

function shellOutput(before: unknown, text: string): unknown {
  const last: unknown = Array.isArray(before) ? before.at(-1) : undefined;
  const outcome = { type: "exit", exit_code: 0 };
  return [{ outcome, ...(isRecord(last) ? last : {}), stdout: text, stderr: "" }];
}
