import { isRecord } from "../../core/is-record.ts";
import type { Json } from "./fields.ts";

/**
 * What is left of a request when somebody else is to answer it: the prompt, and everything that the provider's cache may
 * depend on. What shapes the answer goes, because it was meant for the conversation's own: a stop sequence would cut a
 * summary off, a schema or a forced call would leave no place for it.
 */
export function continuedFields(given: Json, shaping: ReadonlySet<string>): Json {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (shaping.has(name)) continue;
    // Where calls aren't demanded, the prompt is the one that is cached.
    if ((name === "tool_choice" || name === "function_call") && isDemand(value)) continue;
    // What stands beside the format may be a part of the prompt.
    const free = name === "text" || name === "output_config" ? withoutFormat(value) : value;
    if (free !== undefined) kept[name] = free;
  }
  return kept;
}

/** A choice that makes the model call a tool. */
function isDemand(choice: unknown): boolean {
  const name = isRecord(choice) ? (choice["mode"] ?? choice["type"]) : choice;
  return name !== "auto" && name !== "none";
}

function withoutFormat(value: unknown): unknown {
  if (!isRecord(value) || !("format" in value)) return value;
  const { format: _, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : undefined;
}
