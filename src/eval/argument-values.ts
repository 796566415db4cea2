import { parseJson } from "../core/json.ts";
import { memoByObject } from "./memo.ts";
import type { ChatMessage } from "./types.ts";

/**
 * The names of arguments stand in the tool schemas, which every model has with each request: a view that shows `file_path`
 * has kept nothing. So the measures look at the values alone, for every contestant.
 */

/** What a call was given, without the names of its arguments; all of it where the tool takes free text. */
export function argumentValues(args: string): string {
  const parsed = parse(args);
  return parsed === undefined ? args : valuesOf(parsed).join("\n");
}

/** The names of arguments that the calls of a session use. */
export const argumentNames = memoByObject((messages: readonly ChatMessage[]): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { tool_calls: calls = [] } of messages)
    for (const call of calls) addNames(parse(call.function.arguments), names);
  return names;
});

function parse(args: string): object | undefined {
  const value = parseJson(args);
  return typeof value === "object" && value !== null ? value : undefined;
}

function valuesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(valuesOf);
}

function addNames(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    addNames(inner, names);
  }
}
