import { isRecord } from "../../core/json.ts";
import type { FilePart, ImagePart, Message, Part, Role } from "../../core/types.ts";
import { contentParts, typedPart } from "../shared/dialect.ts";
import { nameText, toJson } from "../shared/fields.ts";
import { base64Bytes, filePart, gathered, imagePart, parseDataUrl } from "../shared/media.ts";
import { malformed, otherDialectFix, roleIn } from "../shared/reading.ts";
import { isSignature } from "../shared/reasoning.ts";

/** A part of a message's content. Fields that precis doesn't read pass through. */
export interface ModelPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly image?: unknown;
  readonly data?: unknown;
  readonly filename?: unknown;
  readonly mediaType?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  /** What version 4 called `input`. */
  readonly args?: unknown;
  /** What version 4 called `output`: a plain value. */
  readonly result?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerOptions?: unknown;
}

/**
 * A `ModelMessage` of the AI SDK (version 5 and later, and what version 4 called `CoreMessage`), or its `system` as `{ role: "system", content }`, where the
 * content may also be one system message or several. Permissive on purpose: the official type is assignable to it.
 */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: unknown;
  readonly precis?: unknown;
}

export function isReasoningPart(part: { readonly type?: unknown }): boolean {
  return part.type === "reasoning" || part.type === "reasoning-file";
}

/** The `system` (or `instructions`) of a call. */
export type AiSdkSystem =
  | string
  | { role: "system"; content: string }
  | { role: "system"; content: string }[];

export const ID = "ai-sdk";
const ROLES = { system: "system", user: "user", assistant: "assistant", tool: "tool" } as const;

/** One wire part is one part, in the order of the wire. */
export function read(wire: Record<string, unknown>): Message {
  const role = roleIn(ID, ROLES, wire);
  return { role, parts: readParts(role, wire) };
}

function readParts(role: Role, wire: Record<string, unknown>): Part[] {
  if (role === "system") return readSystem(wire.content);
  if (role === "tool" && typeof wire.content === "string")
    throw malformed({
      dialect: ID,
      expected: "`content` to be an array of parts",
      found: wire.content,
      fix: otherDialectFix(ID, wire),
    });
  return contentParts(ID, wire, (part) => typedPart(ID, part, (known) => readKnown(known, role)));
}

/** `system` may be a text, a system message or a list of them. */
function readSystem(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(readSystemPart);
  if (isRecord(content)) return [readSystemPart(content)];
  throw malformed({
    dialect: ID,
    expected: "a system prompt to be a string or system messages",
    found: content,
  });
}

function readSystemPart(part: unknown): Part {
  if (isRecord(part)) {
    if (typeof part.content === "string") return { type: "text", text: part.content };
    if (typeof part.text === "string") return { type: "text", text: part.text };
  }
  throw malformed({ dialect: ID, expected: "a system message with a string as `content`", found: part });
}

function readKnown(part: Record<string, unknown>, role: Role): Part | undefined {
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? { type: "text", text: part.text } : undefined;
    case "image":
      return readData(part.image, part.mediaType ?? "image/*", undefined, imageDetail(part.providerOptions));
    case "file":
      return readData(part.data, part.mediaType, part.filename, imageDetail(part.providerOptions));
    case "reasoning":
      return { type: "reasoning", text: nameText(part.text ?? ""), signed: isSigned(part.providerOptions) };
    case "reasoning-file":
      return { type: "reasoning", text: `[${part.mediaType}]`, signed: isSigned(part.providerOptions) };
    case "tool-call": {
      const call = { type: "tool-call", ...callOf(part), args: argsText(part.input ?? part.args) } as const;
      return part.providerExecuted === true ? { ...call, locked: true } : call;
    }
    case "tool-result": {
      const result = {
        type: "tool-result",
        ...callOf(part),
        ...readOutput(part.output ?? part.result),
      } as const;
      // Only tools that the provider ran have their results in the assistant's message.
      return role === "assistant" ? { ...result, locked: true } : result;
    }
    default:
      return undefined;
  }
}

function callOf(part: Record<string, unknown>): { id: string; name: string } {
  const { toolCallId, toolName } = part;
  if (typeof toolCallId === "string") return { id: toolCallId, name: nameText(toolName) };
  throw malformed({ dialect: ID, expected: `\`${part.type}\` to have a \`toolCallId\``, found: part });
}

function argsText(input: unknown): string {
  return typeof input === "string" ? input : toJson(input ?? {});
}

/** Every provider has its own name for what binds reasoning to its prefix. */
const SIGNATURE = /signature|encrypted|redacted/i;

function isSigned(providerOptions: unknown): boolean {
  if (!isRecord(providerOptions)) return false;
  return Object.values(providerOptions).some(
    (options) =>
      isRecord(options) &&
      Object.entries(options).some(([key, value]) => SIGNATURE.test(key) && isSignature(value)),
  );
}

function imageDetail(providerOptions: unknown): unknown {
  if (!isRecord(providerOptions) || !isRecord(providerOptions.openai)) return undefined;
  return providerOptions.openai.imageDetail;
}

/** Bytes that are turned into characters at once; more would overflow the argument list of `fromCharCode`. */
const SLICE_BYTES = 8_192;

/** Reading runs over the whole transcript on every call, so bytes that were encoded once aren't encoded again. */
const known = new WeakMap<object, string>();

/** A picture or another file, from whichever of the SDK's shapes its data has. */
function readData(
  data: unknown,
  mediaType: unknown,
  name: unknown,
  detail?: unknown,
): ImagePart | FilePart | undefined {
  const content = dataText(data);
  if (content === undefined) return undefined;
  const type = typeof mediaType === "string" ? mediaType : parseDataUrl(content.source)?.mediaType;
  if (type?.startsWith("image")) return imagePart(content.source, detail);
  return filePart({
    source: content.source,
    name: typeof name === "string" ? name : undefined,
    mediaType: type,
    ...(content.text === undefined ? {} : { text: content.text }),
    ...(content.base64 ? { bytes: base64Bytes(content.source) } : {}),
  });
}

interface Content {
  readonly source: string;
  readonly base64?: boolean;
  readonly text?: string;
}

function dataText(data: unknown): Content | undefined {
  if (typeof data === "string")
    return /^[a-z]+:/i.test(data.slice(0, 8)) ? { source: data } : { source: data, base64: true };
  if (data instanceof URL) return { source: data.href };
  if (data instanceof Uint8Array) return { source: toBase64(data), base64: true };
  if (data instanceof ArrayBuffer) return { source: toBase64(new Uint8Array(data)), base64: true };
  if (!isRecord(data)) return undefined;
  switch (data.type) {
    case "data":
      return dataText(data.data);
    case "url":
      return dataText(
        typeof data.url === "string" ? data.url : data.url instanceof URL ? data.url : undefined,
      );
    case "text":
      return typeof data.text === "string" ? { source: data.text, text: data.text } : undefined;
    case "reference":
      return { source: toJson(data.reference) };
    default:
      // What JSON makes of a Node buffer, and references by provider.
      return { source: toJson(data) };
  }
}

function toBase64(bytes: Uint8Array): string {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  const text = btoa(binary);
  known.set(bytes, text);
  return text;
}

/** What a tool result says. */
interface ReadOutput {
  readonly text: string;
  readonly error?: true;
  readonly media?: readonly (ImagePart | FilePart)[];
}

/** The `output` of a tool result; older versions have a plain value there. */
export function readOutput(output: unknown): ReadOutput {
  if (!isRecord(output)) return { text: typeof output === "string" ? output : toJson(output) };
  const { type, value, reason } = output;
  switch (type) {
    case "text":
      return { text: nameText(value) };
    case "json":
      return { text: toJson(value) };
    case "error-text":
      return { text: nameText(value), error: true };
    case "error-json":
      return { text: toJson(value), error: true };
    case "execution-denied":
      return { text: typeof reason === "string" ? reason : "", error: true };
    case "content":
      return readResultContent(value);
    default:
      return { text: toJson(output) };
  }
}

function readResultContent(value: unknown): ReadOutput {
  if (!Array.isArray(value)) return { text: toJson(value) };
  return gathered(
    value.map((part): Part => {
      if (isRecord(part) && part.type === "text" && typeof part.text === "string")
        return { type: "text", text: part.text };
      return (isRecord(part) ? readFile(part) : undefined) ?? { type: "other", kind: "", json: toJson(part) };
    }),
  );
}

/** The names under which the SDK's versions have put files into results. */
function readFile(part: Record<string, unknown>): ImagePart | FilePart | undefined {
  const { type, data, url, fileId, mediaType, filename } = part;
  switch (type) {
    case "file":
    case "media":
    case "file-data":
      return readData(data, mediaType, filename);
    case "image-data":
      return readData(data, mediaType ?? "image/*", filename);
    case "file-url":
      return readData(url, mediaType, filename);
    case "image-url":
      return readData(url, mediaType ?? "image/*", filename);
    case "file-id":
    case "file-reference":
      return readData(
        { type: "reference", reference: fileId ?? part.providerReference },
        mediaType,
        filename,
      );
    case "image-file-id":
    case "image-file-reference":
      return readData(
        { type: "reference", reference: fileId ?? part.providerReference },
        "image/*",
        filename,
      );
    default:
      return undefined;
  }
}
