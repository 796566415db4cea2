import { TranscriptError } from "../../core/errors.ts";
import { cutTo } from "../../core/first-characters.ts";
import { isRecord } from "../../core/json.ts";
import type { DialectId, OtherPart, Role } from "../../core/types.ts";
import { nameText, toJson } from "./fields.ts";

/** Keys named in an error text; more would bury the message. */
const MAX_KEYS_SHOWN = 6;

/** Characters of a role named in an error text. */
const MAX_ROLE_SHOWN = 40;

const FIX = "Pass the messages as they are sent to the provider, or choose the dialect that they are in.";

/** What a value is, in words for an error text. Never its content, which may be private. */
function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return `a string of ${value.length} characters`;
  if (typeof value === "object") {
    const keys = Object.keys(value);
    if (keys.length === 0) return "an object without fields";
    const more = keys.length > MAX_KEYS_SHOWN ? ", …" : "";
    return `an object with the fields ${keys.slice(0, MAX_KEYS_SHOWN).join(", ")}${more}`;
  }
  return `a ${typeof value}`;
}

/** The error for a message with a role that the format doesn't have. A role is no private content, so it is named. */
function malformedRole(fields: {
  dialect: string;
  roles: readonly string[];
  wire: Record<string, unknown>;
}): TranscriptError {
  const { role } = fields.wire;
  const expected = `\`role\` to be one of ${fields.roles.join(", ")}`;
  if (typeof role !== "string") {
    return malformed({
      dialect: fields.dialect,
      expected: `a message with a \`role\` (${fields.roles.join(", ")})`,
      found: fields.wire,
    });
  }
  const found = cutTo(role, MAX_ROLE_SHOWN);
  return wrong(fields.dialect, expected, `"${found}"`, otherDialectFix(fields.dialect, fields.wire));
}

/** The role of a message, by the names that the format has for roles. Throws for any other. */
export function roleIn(
  dialect: string,
  roles: Readonly<Record<string, Role>>,
  wire: Record<string, unknown>,
): Role {
  const name = wire.role;
  const role = typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role !== undefined) return role;
  throw malformedRole({ dialect, roles: Object.keys(roles), wire });
}

/** The error for something that isn't a message of the format. */
export function malformed(fields: {
  dialect: string;
  expected: string;
  found: unknown;
  fix?: string | undefined;
}): TranscriptError {
  const fix = fields.fix ?? otherDialectFix(fields.dialect, fields.found);
  return wrong(fields.dialect, fields.expected, describeValue(fields.found), fix);
}

/** A part that the format doesn't know passes through. Throws if it is one of another format. */
export function unknownPart(dialect: string, part: unknown): OtherPart {
  const type = isRecord(part) ? part.type : undefined;
  const fix = otherPartFix(dialect, part);
  if (fix !== undefined)
    throw wrong(dialect, "parts of its own format", `one of type \`${String(type)}\``, fix);
  return { type: "other", kind: nameText(type), json: toJson(part), unknown: true };
}

function wrong(dialect: string, expected: string, found: string, fix = FIX): TranscriptError {
  return new TranscriptError({ message: `${dialect}: expected ${expected}, found ${found}.`, fix });
}

/** Types of parts and items that only one wire format has. */
const TYPES_OF_ONE: Readonly<Record<string, DialectId>> = {
  tool_use: "anthropic-messages",
  tool_result: "anthropic-messages",
  thinking: "anthropic-messages",
  redacted_thinking: "anthropic-messages",
  server_tool_use: "anthropic-messages",
  document: "anthropic-messages",
  image_url: "openai-chat",
  input_audio: "openai-chat",
  refusal: "openai-chat",
  input_text: "openai-responses",
  output_text: "openai-responses",
  input_image: "openai-responses",
  input_file: "openai-responses",
  function_call: "openai-responses",
  function_call_output: "openai-responses",
  custom_tool_call: "openai-responses",
  custom_tool_call_output: "openai-responses",
  "tool-call": "ai-sdk",
  "tool-result": "ai-sdk",
};

/** Types that servers of other formats take as well: alone they prove nothing. */
const SHARED: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", "document", "refusal"]);

/** Names under which the dialects are exported. */
const EXPORTS: Readonly<Record<string, string>> = {
  "openai-chat": "openaiChat",
  "openai-responses": "openaiResponses",
  "anthropic-messages": "anthropicMessages",
  "ai-sdk": "aiSdk",
  "gemini-contents": "geminiContents",
};

const UI_FIX =
  "These are messages of the AI SDK's user interface: convert them with its `convertToModelMessages`, and use the dialect `aiSdk`.";

/** What to do about a message that isn't of the dialect `own`, if it is one of another. Undefined where that can't be told. */
export function otherDialectFix(own: DialectId, message: unknown): string | undefined {
  if (!isRecord(message)) return undefined;
  if (isGeminiMessage(message)) return own === "gemini-contents" ? undefined : useDialect("gemini-contents");
  const { role, content, parts } = message;
  if (content === undefined && Array.isArray(parts) && typeof role === "string") return UI_FIX;
  const other = otherDialect(own, message);
  return other === undefined ? undefined : useDialect(other);
}

/** What to do about a part that the dialect `own` doesn't know, if it is one of another. */
function otherPartFix(own: DialectId, part: unknown): string | undefined {
  const other = provenDialect(part);
  return other === undefined || other === own ? undefined : useDialect(other);
}

/** Messages of user interfaces have parts as well, but theirs name their type. */
export function isGeminiMessage(message: Record<string, unknown>): boolean {
  const { role, content, parts } = message;
  if (content !== undefined || !Array.isArray(parts)) return false;
  return (
    role === "model" || (parts.length > 0 && parts.every((part) => isRecord(part) && part.type === undefined))
  );
}

function useDialect(id: DialectId): string {
  return `That is the format \`${id}\`: use the dialect \`${EXPORTS[id] ?? id}\`.`;
}

function otherDialect(own: DialectId, wire: Record<string, unknown>): DialectId | undefined {
  const { type, role, content } = wire;
  for (const part of [wire, ...(Array.isArray(content) ? content : [])]) {
    const other = provenDialect(part);
    if (other !== undefined && other !== own) return other;
  }
  const isItem = role === undefined && typeof type === "string";
  if (isItem) return own === "openai-responses" ? undefined : "openai-responses";
  const isChat = hasChatFields(wire) || role === "function" || role === "developer";
  return isChat && own !== "openai-chat" ? "openai-chat" : undefined;
}

/** Fields that only messages of Chat Completions have. */
export function hasChatFields(wire: Record<string, unknown>): boolean {
  return wire.tool_calls !== undefined || wire.tool_call_id !== undefined || wire.function_call !== undefined;
}

/** The same without the types that prove nothing alone. */
const provenDialect = (part: unknown): DialectId | undefined =>
  isRecord(part) && SHARED.has(part.type) ? undefined : dialectOfPart(part);

/** The format that alone has a part or an item of this type. */
export function dialectOfPart(part: unknown): DialectId | undefined {
  if (!isRecord(part) || typeof part.type !== "string") return undefined;
  const { type, source, image, data } = part;
  if (type === "image")
    return isRecord(source) ? "anthropic-messages" : image === undefined ? undefined : "ai-sdk";
  if (type === "file") return data === undefined ? undefined : "ai-sdk";
  return Object.hasOwn(TYPES_OF_ONE, type) ? TYPES_OF_ONE[type] : undefined;
}
