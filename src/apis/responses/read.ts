import { isRecord } from "../../core/is-record.ts";
import type { Message, Part, ReasoningPart, Role } from "../../core/types.ts";
import { toJson } from "../shared/json.ts";
import { malformed, refuseOtherPart, roleIn } from "../shared/malformed.ts";
import { markedMessage } from "../shared/marker.ts";
import { hasChatFields, otherDialectFix } from "../shared/other-dialect.ts";
import { opaqueReasoning } from "../shared/signature.ts";
import { type ReadItem, readApproval, readClientItem, readServerItem } from "./read-calls.ts";
import { readPart } from "./read-part.ts";
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
