import { isRecord, withDoubles } from "../../core/json.ts";
import type { FilePart, ImagePart, Message, Part, Role, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { base64Bytes, filePart, imagePart } from "../shared/media.ts";
import { malformed, otherDialectFix, roleIn } from "../shared/reading.ts";
import { opaqueReasoning } from "../shared/reasoning.ts";

/**
 * A part of a message. Which kind it is, the field says that it has. Fields that precis doesn't read pass through; the
 * API takes every name in snake case, too.
 */
export interface GeminiPart {
  readonly text?: unknown;
  readonly thought?: unknown;
  readonly thoughtSignature?: unknown;
  readonly inlineData?: unknown;
  readonly fileData?: unknown;
  readonly functionCall?: unknown;
  readonly functionResponse?: unknown;
  readonly executableCode?: unknown;
  readonly codeExecutionResult?: unknown;
  readonly thought_signature?: unknown;
  readonly inline_data?: unknown;
  readonly file_data?: unknown;
  readonly function_call?: unknown;
  readonly function_response?: unknown;
}

/**
 * A message of Gemini's API (Google: `Content`), or its system instruction as `{ role: "system", content }`. Permissive on
 * purpose: the official type is assignable to it.
 */
export interface GeminiContent {
  /** `user` or `model`. Left out: the user's. */
  readonly role?: string | undefined;
  readonly parts?: readonly GeminiPart[] | undefined;
  /** Only of a system instruction: a text, a `Content`, a part or a list of them. */
  readonly content?: unknown;
  readonly precis?: unknown;
}

/** A system instruction: what `systemInstruction` takes on the wire (a `Content`), or one of the shorter forms of Google's package. */
export type GeminiSystem = string | GeminiContent | GeminiPart | readonly GeminiPart[];

/** Fields that precis reads, and how the API spells them otherwise. */
const SNAKE = {
  inlineData: "inline_data",
  fileData: "file_data",
  functionCall: "function_call",
  functionResponse: "function_response",
  thoughtSignature: "thought_signature",
  mimeType: "mime_type",
  fileUri: "file_uri",
  displayName: "display_name",
  systemInstruction: "system_instruction",
  generationConfig: "generation_config",
  maxOutputTokens: "max_output_tokens",
  candidateCount: "candidate_count",
  responseMimeType: "response_mime_type",
  functionDeclarations: "function_declarations",
  toolConfig: "tool_config",
  functionCallingConfig: "function_calling_config",
  allowedFunctionNames: "allowed_function_names",
  cachedContent: "cached_content",
} as const;

type Named = keyof typeof SNAKE;

/** The name under which an object has a field; undefined if it hasn't. */
export function keyOf(value: object, name: Named): string | undefined {
  if (name in value) return name;
  return SNAKE[name] in value ? SNAKE[name] : undefined;
}

export function fieldOf(value: unknown, name: Named): unknown {
  const key = isRecord(value) ? keyOf(value, name) : undefined;
  return key === undefined ? undefined : (value as Record<string, unknown>)[key];
}

/** A field that holds a text, by either of its names. */
function textField(value: object, name: Named): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : undefined;
}

/** What Gemini wants back with a part in the turn that is under way. */
export function signatureOf(part: object): string | undefined {
  return textField(part, "thoughtSignature") || undefined;
}

/** Is the part nothing but reasoning: a summary of thoughts, or a signature without anything that it stands on? */
export function isReasoningPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (part.thought === true) return true;
  return signatureOf(part) !== undefined && (part.text === "" || part.text === undefined) && !saysMore(part);
}

/** Fields beside the text that a part may consist of. */
function saysMore(part: Record<string, unknown>): boolean {
  return Object.keys(part).some(
    (key) => !["text", "thought", SNAKE.thoughtSignature, "thoughtSignature"].includes(key),
  );
}

/** The API takes one part in place of a list of them. */
export function partsOf(parts: unknown): readonly unknown[] | undefined {
  if (Array.isArray(parts)) return parts;
  return isRecord(parts) ? [parts] : undefined;
}

/** A call needs no id: without one, the name of the function ties the next result of that name to it. */
export function unnamedCallId(name: string): string {
  return `function:${name}`;
}

export const ID = "gemini-contents";

/** `function` is what results were sent as by older clients. */
const ROLES = { user: "user", model: "assistant", function: "user" } as const;

/**
 * One wire part is one part, in the order of the wire; the signature on a part is reasoning that stands before it. A
 * user's message that holds only results has the role `tool`.
 */
export function read(wire: Record<string, unknown>): Message {
  const { role, parts: given, content } = wire;
  if (role === "system") return { role, parts: readSystem(content) };
  // A message without a role is the user's.
  const speaker = role === undefined && given !== undefined ? "user" : roleIn(ID, ROLES, wire);
  const list = partsOf(given);
  if (list === undefined)
    throw malformed({
      dialect: ID,
      expected: "a message with `parts`",
      found: wire,
      fix: otherDialectFix(ID, wire),
    });
  const parts = list.flatMap((part) => readPart(part, wire));
  return { role: roleOf(speaker, parts), parts };
}

function roleOf(role: Role, parts: readonly Part[]): Role {
  const onlyResults = parts.length > 0 && parts.every((part) => part.type === "tool-result");
  return role === "user" && onlyResults ? "tool" : role;
}

/** `systemInstruction` may be a text, a part, a list of them or a message. */
function readSystem(content: unknown): Part[] {
  return systemParts(content).map((part) => {
    const text = typeof part === "string" ? part : isRecord(part) ? part.text : undefined;
    if (typeof text === "string") return { type: "text", text };
    if (isRecord(part)) return { type: "other", kind: kindOf(part), json: toJson(part) };
    throw malformed({ dialect: ID, expected: "a system instruction of texts", found: part });
  });
}

/** The parts of a system instruction, whatever shape it has. */
export function systemParts(content: unknown): readonly unknown[] {
  if (content === undefined || content === "") return [];
  if (typeof content === "string" || Array.isArray(content)) return [content].flat();
  if (isRecord(content)) return "parts" in content ? (partsOf(content.parts) ?? []) : [content];
  throw malformed({ dialect: ID, expected: "a system instruction", found: content });
}

function readPart(part: unknown, wire: Record<string, unknown>): Part[] {
  // The SDK takes a text alone for a part.
  if (typeof part === "string") return [{ type: "text", text: part }];
  // Messages of the AI SDK's user interface have parts, too; theirs name their type.
  if (!isRecord(part) || typeof part.type === "string")
    throw malformed({
      dialect: ID,
      expected: "a part that says by its field what it is",
      found: part,
      fix: otherDialectFix(ID, wire),
    });
  const signature = signatureOf(part);
  if (isReasoningPart(part)) {
    const visible = typeof part.text === "string" ? part.text : "";
    const text = visible || (signature === undefined ? "" : opaqueReasoning(signature));
    return [{ type: "reasoning", text, signed: signature !== undefined }];
  }
  const read = readKnown(part) ?? { type: "other", kind: kindOf(part), json: toJson(withoutSignature(part)) };
  if (signature === undefined) return [read];
  return [{ type: "reasoning", text: opaqueReasoning(signature), signed: true }, read];
}

function readKnown(part: Record<string, unknown>): Part | undefined {
  if (typeof part.text === "string") return { type: "text", text: part.text };
  const call = fieldOf(part, "functionCall");
  if (isRecord(call)) return readCall(call);
  const response = fieldOf(part, "functionResponse");
  if (isRecord(response)) return readResult(response);
  return readMedia(part);
}

function readCall(call: Record<string, unknown>): Part {
  const name = nameText(call.name ?? "");
  const id = typeof call.id === "string" && call.id !== "" ? call.id : unnamedCallId(name);
  const args = toJson(call.args ?? {});
  const asDoubles = withDoubles(args);
  return { type: "tool-call", id, name, args, ...(asDoubles !== args && { asDoubles }) };
}

function withoutSignature(part: Record<string, unknown>): Record<string, unknown> {
  const { thoughtSignature: _, thought_signature: __, ...rest } = part;
  return rest;
}

function kindOf(part: Record<string, unknown>): string {
  return Object.keys(part)[0] ?? "empty";
}

/** A picture, a sound, a film or a document: inside of the message, or by its address. */
function readMedia(part: Record<string, unknown>): ImagePart | FilePart | undefined {
  const data = fieldOf(part, "inlineData");
  const file = fieldOf(part, "fileData");
  const blob = isRecord(data) ? data : isRecord(file) ? file : undefined;
  if (blob === undefined) return undefined;
  const source = blob === data ? blob.data : fieldOf(blob, "fileUri");
  if (typeof source !== "string") return undefined;
  const mediaType = textField(blob, "mimeType");
  if (mediaType?.startsWith("image/")) return imagePart(source);
  const name = textField(blob, "displayName");
  return filePart({ source, name, mediaType, ...(blob === data && { bytes: base64Bytes(source) }) });
}

/** Fields of a response under which clients put a text that is all of it. */
const TEXT_FIELDS: readonly string[] = ["output", "result", "content", "error"];

/** The field whose text is all that a response says; undefined if it says more. */
export function onlyText(response: unknown): { readonly key: string; readonly text: string } | undefined {
  if (!isRecord(response)) return undefined;
  const [field, ...others] = Object.entries(response);
  if (field === undefined || others.length > 0) return undefined;
  const [key, text] = field;
  return TEXT_FIELDS.includes(key) && typeof text === "string" ? { key, text } : undefined;
}

/** What a function answered. An id is optional, and clients leave out or make up their own. */
function readResult(result: Record<string, unknown>): ToolResultPart {
  const { id, response, parts } = result;
  const name = nameText(result.name ?? "");
  const media = (partsOf(parts) ?? []).flatMap((part): (ImagePart | FilePart)[] => {
    const read = isRecord(part) ? readMedia(part) : undefined;
    return read ? [read] : [];
  });
  const said = onlyText(response);
  return {
    type: "tool-result",
    id: typeof id === "string" ? id : "",
    byName: true,
    name,
    text: said?.text ?? (response === undefined ? "" : toJson(response)),
    ...(isRecord(response) && "error" in response && { error: true }),
    ...(media.length > 0 && { media }),
  };
}
