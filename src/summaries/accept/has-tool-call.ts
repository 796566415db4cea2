import { parseJson } from "../../core/parse-json.ts";

/** A call that a model wrote as text, because the request forbade real ones. */
const CALL_TAG =
  /^[ \t]*(?:<(?:[\w-]+:)?(?:tool[_-]call|tool[_-]use|function[_-]calls?|invoke)[\s>]|<function=|<\|(?:tool_calls?|python_tag)|<｜tool▁calls|\[TOOL_CALLS\]|to=functions\.|functions\.\w+\s*[({:])/im;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

export function hasToolCall(text: string): boolean {
  return CALL_TAG.test(text.replace(CODE, " ")) || isCallBody(text);
}

/** `{"name": "read", "arguments": {…}}` and its relatives, alone or in a list. */
function isCallBody(text: string): boolean {
  const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
  const calls: unknown[] = Array.isArray(value) ? value : [value];
  return calls.length > 0 && calls.every(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  const named = ["name", "tool", "tool_name", "function", "action", "tool_calls", "function_call"].some(
    (key) => key in record,
  );
  const given = [
    "arguments",
    "parameters",
    "args",
    "input",
    "action_input",
    "tool_calls",
    "function_call",
  ].some((key) => key in record);
  return named && given;
}
