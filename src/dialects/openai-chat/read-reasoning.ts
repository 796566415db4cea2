import { isRecord } from "../../core/is-record.ts";
import type { ReasoningPart } from "../../core/types.ts";
import { nameText } from "../shared/json.ts";
import { isSignature, opaqueReasoning } from "../shared/signature.ts";

/**
 * The reasoning in the fields of an assistant message. Servers that send several of these fields repeat the same
 * reasoning in them, so the most detailed one counts and the others don't.
 */
export function readReasoning(message: Record<string, unknown>): ReasoningPart[] {
  const { reasoning_details, thinking_blocks, reasoning_content, reasoning, reasoning_text } = message;
  if (isFilledList(reasoning_details)) return reasoning_details.map(readDetail);
  if (isFilledList(thinking_blocks)) return thinking_blocks.map(readDetail);
  const opaque = message.reasoning_opaque;
  const text = filledText(reasoning_content) ?? filledText(reasoning) ?? filledText(reasoning_text);
  if (text !== undefined) return [{ type: "reasoning", text, signed: typeof opaque === "string" }];
  return typeof opaque === "string"
    ? [{ type: "reasoning", text: opaqueReasoning(opaque), signed: true }]
    : [];
}

function isFilledList(field: unknown): field is readonly unknown[] {
  return Array.isArray(field) && field.length > 0;
}

function filledText(field: unknown): string | undefined {
  return typeof field === "string" && field !== "" ? field : undefined;
}

/** One entry of `reasoning_details`, `thinking_blocks` or a content part that is reasoning. */
export function readDetail(detail: unknown): ReasoningPart {
  if (!isRecord(detail)) return { type: "reasoning", text: nameText(detail), signed: false };
  const { text, summary, thinking, data, signature } = detail;
  const signed = typeof data === "string" || isSignature(signature);
  const visible = firstText([text, summary, thinking]);
  const opaque = visible === "" && typeof data === "string" ? opaqueReasoning(data) : "";
  return { type: "reasoning", text: visible || opaque, signed };
}

function firstText(values: readonly unknown[]): string {
  for (const value of values) {
    if (typeof value === "string") return value;
    // Mistral nests a list of text parts.
    if (Array.isArray(value)) {
      return value.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
    }
  }
  return "";
}
