import { isRecord } from "../../core/is-record.ts";
import type { Message, Part, Role } from "../../core/types.ts";
import { nameText, toJson } from "../shared/json.ts";
import { malformed, malformedRole, refuseOtherPart } from "../shared/malformed.ts";
import { markedMessage } from "../shared/marker.ts";
import { hasChatFields, otherDialectFix } from "../shared/other-dialect.ts";
import { isSignature } from "../shared/signature.ts";
import { readData } from "./read-data.ts";
import { readOutput } from "./read-output.ts";
import type { AiSdkMessage } from "./wire.ts";

export const ID = "ai-sdk";

/** One wire part is one part, in the order of the wire. */
export function read(message: AiSdkMessage): Message {
  const wire: unknown = message;
  if (!isRecord(wire)) throw malformed({ dialect: ID, expected: "a message object", found: wire });
  const { role, content, providerOptions, precis } = wire;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") {
    throw malformedRole({ dialect: ID, roles: ["system", "user", "assistant", "tool"], wire });
  }
  if (hasChatFields(wire))
    throw malformed({ dialect: ID, expected: "a message whose `content` says everything", found: wire });
  const parts = role === "system" ? readSystem(content) : readContent(wire, role);
  return markedMessage(
    role,
    parts,
    precis ?? (isRecord(providerOptions) ? providerOptions.precis : undefined),
  );
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

function readContent(wire: Record<string, unknown>, role: Role): Part[] {
  const { content } = wire;
  if (typeof content === "string" && role !== "tool")
    return content === "" ? [] : [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map((part) => readPart(part, role));
  const expected = role === "tool" ? "an array of parts" : "a string or an array of parts";
  throw malformed({
    dialect: ID,
    expected: `\`content\` to be ${expected}`,
    found: content,
    fix: otherDialectFix(ID, wire),
  });
}

function readPart(part: unknown, role: Role): Part {
  if (!isRecord(part) || typeof part.type !== "string") {
    throw malformed({ dialect: ID, expected: "a content part to be an object with a `type`", found: part });
  }
  const known = readKnown(part, role);
  if (known) return known;
  refuseOtherPart(ID, part);
  return { type: "other", kind: part.type, json: toJson(part) };
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
