import { isJson, listOf, textOf } from "../../../apis/shared/fields.ts";
import type { WireRequest } from "../wire.ts";

/** The tools that the model really reads: those with `defer_loading` cost nothing until a search has found them. */
export function loadedTools({ tools, transcript }: WireRequest): unknown {
  const list = listOf(tools);
  if (!list.some(isDeferred)) return tools;
  const found = new Set<string>();
  for (const message of transcript) if (isJson(message)) findReferences(message["content"], found);
  return list.filter((tool) => !isDeferred(tool) || found.has(textOf((tool as NamedTool).name) ?? ""));
}

interface NamedTool {
  readonly name?: unknown;
}

function isDeferred(tool: unknown): boolean {
  return isJson(tool) && tool["defer_loading"] === true;
}

/** Names of tools that results of a search refer to, of the client's own or of the provider's. */
function findReferences(content: unknown, found: Set<string>): void {
  for (const part of listOf(content)) {
    if (!isJson(part)) continue;
    if (part["type"] === "tool_reference") found.add(textOf(part["tool_name"]) ?? "");
    else if (part["type"] === "tool_result") findReferences(part["content"], found);
    else if (isJson(part["content"])) findReferences(part["content"]["tool_references"], found);
  }
}
