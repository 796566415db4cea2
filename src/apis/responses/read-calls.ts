import { isRecord } from "../../core/is-record.ts";
import type { FilePart, ImagePart, Part, Role, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/json.ts";
import { joinTexts } from "../shared/legal-text.ts";
import { malformed } from "../shared/malformed.ts";
import { imagePart } from "../shared/media.ts";
import { readPart } from "./read-part.ts";

type Item = Readonly<Record<string, unknown>>;
type Media = (ImagePart | FilePart)[];

/** What an item that isn't a message means. */
export interface ReadItem {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly follows?: string;
}

/** Calls that the client runs, and their outputs. Every one is an item of its own. */
export function readClientItem(dialect: string, item: Item): ReadItem | undefined {
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
export function readServerItem(item: Item): ReadItem | undefined {
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
export function readApproval(item: Item): ReadItem | undefined {
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
