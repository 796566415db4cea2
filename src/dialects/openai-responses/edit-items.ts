import { parseExact } from "../../core/exact-json.ts";
import { isRecord } from "../../core/is-record.ts";
import { lockedPart } from "../shared/edit-cursor.ts";
import { nameText, toArgsText } from "../shared/json.ts";
import type { ResponsesItem, ResponsesPart } from "./wire.ts";

/** A call or an output with a new text. Where the API demands a shape, the text goes into its free field. */
export function replaceItem(dialect: string, item: ResponsesItem, text: string): ResponsesItem {
  switch (item.type) {
    case "function_call":
      return { ...item, arguments: toArgsText(text) };
    case "custom_tool_call":
      return { ...item, input: text };
    case "local_shell_call":
      return { ...item, action: shaped(item.action, text, { command: [text] }) };
    case "shell_call":
      return { ...item, action: shaped(item.action, text, { commands: [text] }) };
    case "apply_patch_call":
      return { ...item, operation: shaped(item.operation, text, { diff: text }) };
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...item, output: outputList(item.output, text) };
    case "local_shell_call_output":
    case "apply_patch_call_output":
      return { ...item, output: text };
    case "shell_call_output":
      return { ...item, output: shellOutput(item.output, text) };
    default:
      throw lockedPart(dialect, nameText(item.type));
  }
}

/** JSON text with the fields of the object becomes the object; other text goes into one field of it. */
function shaped(before: unknown, text: string, fallback: Record<string, unknown>): unknown {
  const fields = isRecord(before) ? before : {};
  try {
    const value = parseExact(text);
    if (isRecord(value) && Object.keys(fallback).every((key) => key in value)) return { ...fields, ...value };
  } catch {
    // Clipped arguments usually aren't valid JSON any more.
  }
  return { ...fields, ...fallback };
}

/** A list stays a list, for the cache breakpoint on its last text. */
function outputList(before: unknown, text: string): unknown {
  if (!Array.isArray(before)) return text;
  const last: ResponsesPart | undefined = before.findLast(
    (part: ResponsesPart) => part.type === "input_text",
  );
  return [{ ...last, type: "input_text", text }];
}

function shellOutput(before: unknown, text: string): unknown {
  const last: unknown = Array.isArray(before) ? before.at(-1) : undefined;
  const outcome = { type: "exit", exit_code: 0 };
  return [{ outcome, ...(isRecord(last) ? last : {}), stdout: text, stderr: "" }];
}
