import { editableParts } from "../core/edits.ts";
import { isRecord, parseReadable } from "../core/json.ts";
import type { Structure } from "../core/rounds.ts";
import type { Message, ToolCallPart } from "../core/types.ts";
import { editParts, type Reduction } from "./reduction.ts";

/** What stands for a result that came again later. */
export const SUPERSEDED = /^\[superseded: the same call was made again, see the result in message #\d+\]$/u;

/** The same call made again later (the same file read again): the older result becomes one line. */
export const supersededResults: Reduction = {
  name: "superseded-results",
  apply(draft, input) {
    const { messages, structure, measure } = input;
    const supersededBy = laterResults(messages, structure);
    return editParts(draft, input, (part, at) => {
      const later = supersededBy.get(`${at.index}:${at.part}`);
      if (later === undefined || part.type !== "tool-result" || part.locked) return undefined;
      const text = `[superseded: the same call was made again, see the result in message #${later + 1}]`;
      if (measure.text(text) >= measure.text(part.text)) return undefined;
      return { type: "replace", part: at.part, text, why: "superseded-result" };
    });
  },
};

/** By place of a result: the message with the newest result of the same call, where that is a later one. */
function laterResults(messages: readonly Message[], structure: Structure): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  const later = new Map<string, number>();
  for (const { call, result } of structure.pairs.toSorted((a, b) => b.result.index - a.result.index)) {
    const key = callKey(callAt(messages, call));
    const last = newest.get(key);
    if (last === undefined) newest.set(key, result.index);
    else if (last > result.index) later.set(`${result.index}:${result.part}`, last);
  }
  return later;
}

function callAt(messages: readonly Message[], at: { index: number; part: number }): ToolCallPart {
  return editableParts(messages[at.index]!)[at.part] as ToolCallPart;
}

/** Longer arguments are compared as they are (characters): they write something, and nobody writes the same twice in another order. */
const MOST_PARSED = 100_000;

/** Name and arguments, whatever the order of keys. */
export function callKey(call: ToolCallPart): string {
  let args = call.args;
  if (args.length > MOST_PARSED) return `${call.name} ${args}`;
  try {
    const value = parseReadable(args);
    if (isRecord(value)) {
      args = JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
  } catch {
    // Free-text arguments are compared as they are.
  }
  return `${call.name} ${args}`;
}
