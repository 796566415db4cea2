import { isRecord } from "../../core/json.ts";
import type {
  FilePart,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  Role,
  ToolCallPart,
  ToolResultPart,
} from "../../core/types.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { joinTexts } from "../shared/legal-text.ts";
import { filePart, imagePart } from "../shared/media.ts";
import {
  hasChatFields,
  malformed,
  markedMessage,
  otherDialectFix,
  refuseOtherPart,
  roleIn,
} from "../shared/reading.ts";
import { opaqueReasoning } from "../shared/reasoning.ts";
import { itemType, type ResponsesItem } from "./wire.ts";

export const ID = "openai-responses";

const ROLES: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};

/** Items that say something for the client rather than the model. */
const USER_ITEMS: ReadonlySet<string> = new Set(["mcp_approval_response", "compaction_trigger"]);

/** Every item is a message. A `reasoning` item is an assistant message that holds nothing but reasoning. */
export function read(item: ResponsesItem): Message {
  const wire: unknown = item;
  if (!isRecord(wire)) throw malformed({ dialect: ID, expected: "an item object", found: wire });
  const type = itemType(wire);
  if (type === undefined) {
    throw malformed({ dialect: ID, expected: "an item with a `type` or a `role`", found: wire });
  }
  if (type === "message") return markedMessage(roleIn(ID, ROLES, wire), readContent(wire), wire.precis);
  if (type === "reasoning") return markedMessage("assistant", [readReasoning(wire)], wire.precis);
  const known = readClientItem(ID, wire) ?? readServerItem(wire);
  if (known !== undefined) return readItem(known, wire.precis);
  const role =
    typeof wire.role === "string" && Object.hasOwn(ROLES, wire.role) ? ROLES[wire.role] : undefined;
  const speaker = role ?? (USER_ITEMS.has(type) ? "user" : "assistant");
  const { precis, ...rest } = wire;
  const approval = readApproval(rest);
  if (approval !== undefined) return readItem(approval, precis);
  return markedMessage(speaker, [{ type: "other", kind: type, json: toJson(rest) }], precis);
}

function readItem({ role, parts, follows }: ReadItem, marker: unknown): Message {
  const message = markedMessage(role, parts, marker);
  return follows === undefined ? message : { ...message, follows };
}

function readContent(wire: Record<string, unknown>): Part[] {
  const { content } = wire;
  if (hasChatFields(wire))
    throw malformed({ dialect: ID, expected: "a message whose `content` says everything", found: wire });
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(readOwnPart);
  throw malformed({
    dialect: ID,
    expected: "`content` to be a string or an array of parts",
    found: content,
    fix: otherDialectFix(ID, wire),
  });
}

function readOwnPart(part: unknown): Part {
  const read = readPart(part);
  if (read.type === "other") refuseOtherPart(ID, part);
  return read;
}

function readReasoning(item: Record<string, unknown>): ReasoningPart {
  const { summary, content, encrypted_content } = item;
  const texts: string[] = [];
  for (const list of [summary, content]) {
    if (!Array.isArray(list)) continue;
    for (const part of list) if (isRecord(part) && typeof part.text === "string") texts.push(part.text);
  }
  const signed = typeof encrypted_content === "string" && encrypted_content !== "";
  // The encrypted reasoning is what the model gets to see; its summary is for people.
  return { type: "reasoning", text: signed ? opaqueReasoning(encrypted_content) : texts.join("\n"), signed };
}

/** One part of a message's content or of an output list. */
function readPart(part: unknown): Part {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isRecord(part)) return { type: "other", kind: "unknown", json: toJson(part) };
  const { type, text, refusal, image_url, file_id, file_data, file_url, filename, detail, url } = part;
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
      if (typeof text === "string") return { type: "text", text };
      break;
    case "refusal":
      if (typeof refusal === "string") return { type: "text", text: refusal };
      break;
    case "input_image":
    case "computer_screenshot":
    case "image": {
      const source = firstString(image_url, file_id, url);
      if (source !== undefined) return imagePart(source, detail);
      break;
    }
    case "input_file": {
      const source = firstString(file_data, file_url, file_id);
      if (source !== undefined) return filePart({ source, name: firstString(filename) });
      break;
    }
  }
  return { type: "other", kind: nameText(type), json: toJson(part) };
}

function firstString(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

type Item = Readonly<Record<string, unknown>>;
type Media = (ImagePart | FilePart)[];

/** What an item that isn't a message means. */
interface ReadItem {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly follows?: string;
}

/** Calls that the client runs, and their outputs. Every one is an item of its own. */
function readClientItem(dialect: string, item: Item): ReadItem | undefined {
  switch (item.type) {
    case "function_call":
      return call(dialect, item, nameOf(item), textOf(item.arguments));
    case "custom_tool_call":
      return call(dialect, item, nameOf(item), textOf(item.input));
    case "local_shell_call":
      return call(dialect, item, "local_shell", toJson(item.action));
    case "shell_call":
      return call(dialect, item, "shell", toJson(item.action));
    case "apply_patch_call":
      return call(dialect, item, "apply_patch", toJson(item.operation));
    case "computer_call":
      return call(dialect, item, "computer", toJson(item.actions ?? item.action), "locked");
    case "program":
      return call(dialect, item, "program", textOf(item.code), "locked");
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "shell_call_output":
      return result(dialect, item, item.output);
    case "apply_patch_call_output":
      return result(dialect, item, item.output, { error: item.status === "failed" });
    case "computer_call_output":
      // The API takes nothing but a screenshot here, so it can't become text.
      return result(dialect, item, [item.output], { locked: true });
    case "program_output":
      return result(dialect, item, item.result, { locked: true });
    default:
      return undefined;
  }
}

/** Tools that the provider runs: call and result in one item. Without a result the call would look like an open one. */
function readServerItem(item: Item): ReadItem | undefined {
  switch (item.type) {
    case "web_search_call":
      return ran(item, "web_search", toJson(item.action), { text: "" });
    case "file_search_call":
      return ran(item, "file_search", toJson(item.queries), {
        text: item.results ? toJson(item.results) : "",
      });
    case "code_interpreter_call":
      return ran(item, "code_interpreter", textOf(item.code), output(item.outputs));
    case "image_generation_call": {
      const media = typeof item.result === "string" ? [imagePart(item.result)] : [];
      return ran(item, "image_generation", "", { text: "", media });
    }
    case "mcp_call": {
      const failed = item.error !== undefined && item.error !== null;
      const text = textOf(failed ? item.error : (item.output ?? ""));
      const { approval_request_id: follows } = item;
      return {
        ...ran(item, nameOf(item), textOf(item.arguments), { text }, failed),
        ...(typeof follows === "string" ? { follows } : {}),
      };
    }
    default:
      return undefined;
  }
}

/**
 * A call that waits for the client's consent, and the client's word: a call and its result, because the API refuses one
 * without the other. Undefined where the id is missing that joins them.
 */
function readApproval(item: Item): ReadItem | undefined {
  const { type, id, approval_request_id, ...rest } = item;
  if (type === "mcp_approval_request" && typeof id === "string") {
    return {
      role: "assistant",
      parts: [{ type: "tool-call", id, name: type, args: toJson(rest), locked: true }],
    };
  }
  if (type === "mcp_approval_response" && typeof approval_request_id === "string") {
    const text = toJson(rest);
    return { role: "tool", parts: [{ type: "tool-result", id: approval_request_id, text, locked: true }] };
  }
  return undefined;
}

/** Output of a call: a text, or a list of texts, pictures, files, logs and shell results. */
function output(value: unknown): { text: string; media?: Media } {
  if (value === undefined || value === null) return { text: "" };
  if (!Array.isArray(value)) return { text: textOf(value) };
  const texts: string[] = [];
  const media: Media = [];
  for (const entry of value) {
    if (isRecord(entry) && typeof entry.stdout === "string") {
      texts.push(
        [entry.stdout, entry.stderr].filter((text) => typeof text === "string" && text !== "").join("\n"),
      );
      continue;
    }
    if (isRecord(entry) && typeof entry.logs === "string") {
      texts.push(entry.logs);
      continue;
    }
    const part = readPart(entry);
    if (part.type === "image" || part.type === "file") media.push(part);
    else if (part.type === "text") texts.push(part.text);
    else if (part.type === "other") texts.push(part.json);
  }
  return { text: joinTexts(texts), ...(media.length > 0 ? { media } : {}) };
}

function call(dialect: string, item: Item, name: string, args: string, locked?: "locked"): ReadItem {
  const part: ToolCallPart = {
    type: "tool-call",
    id: callId(dialect, item),
    name,
    args,
    ...(locked === undefined ? {} : { locked: true }),
  };
  return { role: "assistant", parts: [part] };
}

function result(
  dialect: string,
  item: Item,
  value: unknown,
  flags: { error?: boolean; locked?: true } = {},
): ReadItem {
  const part: ToolResultPart = {
    type: "tool-result",
    ...answeredCall(dialect, item),
    ...(typeof item.name === "string" ? { name: item.name } : {}),
    ...output(value),
    ...(flags.error === true ? { error: true } : {}),
    ...(flags.locked === true ? { locked: true } : {}),
  };
  return { role: "tool", parts: [part] };
}

function ran(
  item: Item,
  name: string,
  args: string,
  outcome: { text: string; media?: Media },
  error = false,
): ReadItem {
  const id = typeof item.id === "string" ? item.id : name;
  const { text, media = [] } = outcome;
  const parts: Part[] = [
    { type: "tool-call", id, name, args, locked: true },
    {
      type: "tool-result",
      id,
      text,
      ...(error ? { error } : {}),
      ...(media.length > 0 ? { media } : {}),
      locked: true,
    },
  ];
  return { role: "assistant", parts };
}

/** Calls of older versions may have their `id` alone. */
function callId(dialect: string, item: Item): string {
  const id = item.call_id ?? item.id;
  if (typeof id === "string") return id;
  throw malformed({ dialect, expected: `\`${item.type}\` to have a \`call_id\``, found: item });
}

/**
 * The call that an output answers. `function_call_output` may leave it out: it then answers by its order. Its own `id` names the
 * output, except in `local_shell_call_output`, which may name its call by it.
 */
function answeredCall(dialect: string, item: Item): Pick<ToolResultPart, "id" | "byOrder"> {
  const isUnnamed = item.type === "function_call_output" && item.call_id == null;
  return isUnnamed ? { id: "", byOrder: true } : { id: callId(dialect, item) };
}

function nameOf(item: Item): string {
  return typeof item.name === "string" ? item.name : nameText(item.type);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}
