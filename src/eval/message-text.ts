import type { ChatMessage as WireMessage } from "../apis/chat/read.ts";
import { parseJson } from "../core/json.ts";
import type { ChatMessage } from "./types.ts";

/** What a message costs beside its text (role, separators), in tokens. */
export const MESSAGE_OVERHEAD = 4;

/** What a message says, whatever shape its content has. */
export const contentText = ({ content }: WireMessage): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => String(part.text ?? "")).join("\n");

/** A message as text: its content, then each call's name and arguments on a line of its own. */
export function messageText(message: WireMessage): string {
  const calls = (message.tool_calls ?? []).map(
    (call) => `\n${call.function?.name} ${call.function?.arguments}`,
  );
  return contentText(message) + calls.join("");
}

/** Messages as one text: the form in which views are scored. */
export const messagesText = (messages: readonly WireMessage[]): string =>
  messages.map(messageText).join("\n");

/** Newlines that JSON arguments carry as two characters, as newlines: a path at the start of such a line is a path. */
export function unescapeNewlines(text: string): string {
  return text.replaceAll("\\n", "\n");
}

/** Text as a person would read it in a file: what JSON escapes in arguments is undone. */
export function plainText(text: string): string {
  return unescapeNewlines(text).replaceAll("\\t", "\t").replaceAll('\\"', '"');
}

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

/** Remembers one derived value per object for as long as the object lives. */
export function memoByObject<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let entry = made.get(key);
    if (!entry) {
      entry = { value: make(key) };
      made.set(key, entry);
    }
    return entry.value;
  };
}
