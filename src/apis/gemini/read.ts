import { isRecord, withDoubles } from "../../core/json.ts";
import type { FilePart, ImagePart, Message, Part, Role, ToolResultPart } from "../../core/types.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { base64Bytes, filePart, imagePart } from "../shared/media.ts";
import { malformed, malformedRole, markedMessage, otherDialectFix } from "../shared/reading.ts";
import { opaqueReasoning } from "../shared/reasoning.ts";
import {
  fieldOf,
  type GeminiContent,
  isReasoningPart,
  partsOf,
  signatureOf,
  textField,
  unnamedCallId,
} from "./wire.ts";

export const ID = "gemini-contents";

/** `function` is what results were sent as by older clients. */
const ROLES = ["user", "model", "function"] as const;

/**
 * One wire part is one part, in the order of the wire; the signature on a part is reasoning that stands before it. A
 * user's message that holds only results has the role `tool`.
 */
export function read(message: GeminiContent): Message {
  const wire: unknown = message;
  if (!isRecord(wire)) throw malformed({ dialect: ID, expected: "a message object", found: wire });
  const { role = "user", parts: given, content, precis } = wire;
  if (role === "system") return markedMessage("system", readSystem(content), precis);
  const isNameless = wire.role === undefined && given === undefined;
  if (isNameless || !ROLES.includes(role as (typeof ROLES)[number]))
    throw malformedRole({ dialect: ID, roles: ROLES, wire });
  const list = partsOf(given);
  if (list === undefined)
    throw malformed({
      dialect: ID,
      expected: "a message with `parts`",
      found: wire,
      fix: otherDialectFix(ID, wire),
    });
  const parts = list.flatMap((part) => readPart(part, wire));
  return markedMessage(roleOf(role as string, parts), parts, precis);
}

function roleOf(role: string, parts: readonly Part[]): Role {
  if (role === "model") return "assistant";
  const onlyResults = parts.length > 0 && parts.every((part) => part.type === "tool-result");
  return onlyResults ? "tool" : "user";
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
