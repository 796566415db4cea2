import { parseJson } from "../core/json.ts";
import type { DialectId, Edit } from "../core/types.ts";
import { isObject } from "./json.ts";
import type { WireLink } from "./rules/facts.ts";
import { wireFacts } from "./rules/judge-wire.ts";
import { isEmpty } from "./rules/rules.ts";

/** Fields whose inside an edit may change; every other field of the message must stay as it was. */
const EDITABLE = new Set([
  "content",
  "parts",
  "tool_calls",
  "arguments",
  "input",
  "output",
  "summary",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "encrypted_content",
  "refusal",
]);

/** Calls or results without what they say, which an edit may change. */
function names(links: readonly WireLink[]): string {
  return JSON.stringify(links.map(({ kind, id, name }) => [kind, id, name]));
}

/** An edited message is the old one, except for what its edits name. */
export function checkEdit(
  dialect: DialectId,
  before: unknown,
  after: unknown,
  edits: readonly Edit[],
  index: number,
): string[] {
  const breaches: string[] = [];
  const say = (what: string) => breaches.push(`edit: message ${index} ${what}`);
  const old = wireFacts(dialect, before);
  const now = wireFacts(dialect, after);
  if (edits.length === 0) say("has an edit entry without edits");
  if (old.role !== now.role) say(`changed its role from ${old.role} to ${now.role}`);
  if (names(old.calls) !== names(now.calls)) say("changed the ids or names of its calls");
  if (names(old.results) !== names(now.results)) say("changed the ids of its results");
  if (!isEmpty(old) && isEmpty(now)) say("became empty");

  const replaced = edits.filter((edit) => edit.type === "replace").length;
  const appended = edits.filter((edit) => edit.type === "append").length;
  const left = [...now.texts];
  let missing = 0;
  for (const text of old.texts) {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    else if (appended > 0 && left.some((other) => other.startsWith(text))) continue;
    else missing++;
  }
  if (missing > replaced) say(`lost ${missing} texts with ${replaced} replacements`);
  if (left.length > replaced + appended) say(`gained ${left.length} texts with ${replaced + appended} edits`);
  if (old.media - now.media > replaced) say("lost pictures or unknown parts that no edit names");
  const strips = edits.some((edit) => edit.type === "strip-reasoning");
  if (strips && now.reasoning > 0) say("still carries reasoning");
  if (!strips && now.reasoning !== old.reasoning) say("lost reasoning that no edit names");

  for (const [at, args] of old.jsonArgs.entries())
    if (parses(args) && !parses(now.jsonArgs[at] ?? "")) say("has arguments that are no longer JSON");
  // Without its id, or with another one, an item is new: providers remember by it which reasoning it came with.
  if (isObject(before) && isObject(after))
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (
        !EDITABLE.has(field) &&
        !(strips && field === "id") &&
        JSON.stringify(before[field]) !== JSON.stringify(after[field])
      )
        say(`changed its field \`${field}\``);
  return breaches;
}

const parses = (text: string): boolean => isObject(parseJson(text));
