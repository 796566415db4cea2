import { isRecord } from "../../core/json.ts";
import type {
  FilePart,
  ImagePart,
  InsertMessage,
  Message,
  Part,
  ReasoningPart,
  Role,
  ToolCallPart,
  ToolResultPart,
} from "../../core/types.ts";
import { contentParts, withoutMarker } from "../shared/dialect.ts";
import { legalText, nameText, toJson } from "../shared/fields.ts";
import { filePart, gathered, imagePart } from "../shared/media.ts";
import { malformed, roleIn, unknownPart } from "../shared/reading.ts";
import { opaqueReasoning } from "../shared/reasoning.ts";

/** A part of a message's content, or of an output that is a list. Fields that precis doesn't read pass through. */
export interface ResponsesPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly file_id?: unknown;
  readonly file_data?: unknown;
  readonly file_url?: unknown;
  readonly filename?: unknown;
  readonly detail?: unknown;
}

/**
 * An item of the Responses API's `input`, or its `instructions` as `{ role: "system", content }`. Permissive on
 * purpose: the official types are assignable to it. Every item is a message to precis, also those that the API
 * doesn't call so.
 */
export interface ResponsesItem {
  readonly type?: string | null | undefined;
  readonly role?: string | undefined;
  readonly content?: unknown;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly approval_request_id?: string | null | undefined;
  readonly name?: string | undefined;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly action?: unknown;
  readonly operation?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: string | null | undefined;
  readonly precis?: unknown;
}

/** The item's type; `message` and `item_reference` may leave it out. */
export function itemType(item: { readonly [K in "type" | "role" | "id"]?: unknown }): string | undefined {
  if (typeof item.type === "string") return item.type;
  if (item.role !== undefined) return "message";
  return typeof item.id === "string" ? "item_reference" : undefined;
}

/**
 * A message item. The API takes a list of `input_text` from everyone but the assistant; what the assistant says in a list needs
 * an id of the API's, so it is a plain text. Newer models know the system role as `developer`.
 */
export function write(message: InsertMessage): ResponsesItem {
  const text = legalText(message.text);
  if (message.role === "assistant") return { type: "message", role: "assistant", content: text };
  const role = message.role === "system" ? "developer" : message.role;
  return { type: "message", role, content: [{ type: "input_text", text }] };
}

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
export function read(wire: Record<string, unknown>): Message {
  const type = itemType(wire);
  if (type === undefined) {
    throw malformed({ dialect: ID, expected: "an item with a `type` or a `role`", found: wire });
  }
  if (type === "message")
    return { role: roleIn(ID, ROLES, wire), parts: contentParts(ID, wire, readOwnPart) };
  if (type === "reasoning") return { role: "assistant", parts: [readReasoning(wire)] };
  const known = readClientItem(wire) ?? readServerItem(wire);
  if (known !== undefined) return known;
  const role =
    typeof wire.role === "string" && Object.hasOwn(ROLES, wire.role) ? ROLES[wire.role] : undefined;
  const speaker = role ?? (USER_ITEMS.has(type) ? "user" : "assistant");
  const rest = withoutMarker(wire);
  return readApproval(rest) ?? { role: speaker, parts: [{ type: "other", kind: type, json: toJson(rest) }] };
}

function readOwnPart(part: unknown): Part {
  const read = readPart(part);
  return read.type === "other" ? unknownPart(ID, part) : read;
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

/** Calls that the client runs, and their outputs. Every one is an item of its own. */
function readClientItem(item: Item): Message | undefined {
  switch (item.type) {
    case "function_call":
      return call(item, nameOf(item), textOf(item.arguments));
    case "custom_tool_call":
      return call(item, nameOf(item), textOf(item.input));
    case "local_shell_call":
      return call(item, "local_shell", toJson(item.action));
    case "shell_call":
      return call(item, "shell", toJson(item.action));
    case "apply_patch_call":
      return call(item, "apply_patch", toJson(item.operation));
    case "computer_call":
      return call(item, "computer", toJson(item.actions ?? item.action), "locked");
    case "program":
      return call(item, "program", textOf(item.code), "locked");
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "shell_call_output":
      return result(item, item.output);
    case "apply_patch_call_output":
      return result(item, item.output, { error: item.status === "failed" });
    case "computer_call_output":
      // The API takes nothing but a screenshot here, so it can't become text.
      return result(item, [item.output], { locked: true });
    case "program_output":
      return result(item, item.result, { locked: true });
    default:
      return undefined;
  }
}

/** Tools that the provider runs: call and result in one item. Without a result the call would look like an open one. */
function readServerItem(item: Item): Message | undefined {
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
function readApproval(item: Item): Message | undefined {
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
  return gathered(
    value.map((entry): Part => {
      if (isRecord(entry) && typeof entry.stdout === "string") {
        const said = [entry.stdout, entry.stderr].filter((text) => typeof text === "string" && text !== "");
        return { type: "text", text: said.join("\n") };
      }
      const isLog = isRecord(entry) && typeof entry.logs === "string";
      return isLog ? { type: "text", text: entry.logs as string } : readPart(entry);
    }),
  );
}

function call(item: Item, name: string, args: string, locked?: "locked"): Message {
  const part: ToolCallPart = {
    type: "tool-call",
    id: callId(item),
    name,
    args,
    ...(locked === undefined ? {} : { locked: true }),
  };
  return { role: "assistant", parts: [part] };
}

function result(item: Item, value: unknown, flags: { error?: boolean; locked?: true } = {}): Message {
  const part: ToolResultPart = {
    type: "tool-result",
    ...answeredCall(item),
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
): Message {
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
function callId(item: Item): string {
  const id = item.call_id ?? item.id;
  if (typeof id === "string") return id;
  throw malformed({ dialect: ID, expected: `\`${item.type}\` to have a \`call_id\``, found: item });
}

/**
 * The call that an output answers. `function_call_output` may leave it out: it then answers by its order. Its own `id` names the
 * output, except in `local_shell_call_output`, which may name its call by it.
 */
function answeredCall(item: Item): Pick<ToolResultPart, "id" | "byOrder"> {
  const isUnnamed = item.type === "function_call_output" && item.call_id == null;
  return isUnnamed ? { id: "", byOrder: true } : { id: callId(item) };
}

function nameOf(item: Item): string {
  return typeof item.name === "string" ? item.name : nameText(item.type);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : toJson(value);
}
