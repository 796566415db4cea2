import type { ApiMessage, Part } from "../../../src/gateway/api.ts";

/** The words of a message. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === "text")
    .map(({ text }) => text)
    .join("\n\n");

const DOCUMENT =
  /<(document|source|passage)\b([^<>]*)>([\s\S]*?)<\/\1>\s*|<\/?(?:documents|sources|context)>\s*/g;

/** The documents that an application puts into a message in tags, each with its number and title, and the rest of the words. */
export function splitDocuments(text: string) {
  const documents: { readonly name: string; readonly text: string }[] = [];
  const rest = text.replace(DOCUMENT, (_, tag?: string, attributes = "", inside = "") => {
    if (tag === undefined) return "";
    const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
    const named = [
      of("index")?.replace(/.+/, "[$&]"),
      of("title") ?? of("source") ?? /<source>([^<]+)/.exec(inside)?.[1],
    ];
    documents.push({ name: named.filter(Boolean).join(" ") || tag, text: inside.trim() });
    return "";
  });
  return documents.length === 0 ? { rest: text, documents } : { rest: rest.trim(), documents };
}

/** An answer in which nothing is said, called or shown. */
export const isEmptyAnswer = ({ role, parts }: Pick<ApiMessage, "role" | "parts">): boolean =>
  role === "assistant" &&
  parts.every(({ type }) => type === "text" || type === "reasoning") &&
  textOf(parts).trim() === "";

/** A call's arguments in one line: the one that says most, or all of them. */
export function briefArgs(args: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch {
    return oneLine(args);
  }
  if (typeof parsed !== "object" || parsed === null) return oneLine(String(parsed));
  const values = Object.values(parsed).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return oneLine(values.length > 0 ? values.join(" · ") : args);
}

const LINE_LENGTH = 200;

export function oneLine(text: string): string {
  return text
    .slice(0, 4 * LINE_LENGTH)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LINE_LENGTH);
}

/** A message in one line, for lists. */
export function briefMessage({ parts }: Pick<ApiMessage, "parts">): string {
  const words: string[] = [];
  for (const part of parts) {
    if (part.type === "text") words.push(oneLine(part.text));
    else if (part.type === "tool-call") words.push(`${part.name}(${briefArgs(part.args)})`);
    else if (part.type === "tool-result") words.push(oneLine(part.text));
    else if (part.type === "image") words.push("[image]");
    else if (part.type === "file") words.push(`[${part.name ?? "file"}]`);
    if (words.join(" ").length > LINE_LENGTH) break;
  }
  return words.filter(Boolean).join(" · ");
}

/** JSON made readable; anything else as it is. */
export function pretty(text: string): string {
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The messages of a request's body or of an answer, in whichever format, as people read them. */
export function messagesIn(body: unknown): readonly { readonly role: string; readonly text: string }[] {
  const { system, instructions, systemInstruction, messages, input, contents } = (body ?? {}) as Fields;
  const list = [body, messages, input, contents].find(Array.isArray) ?? [];
  const head = system ?? instructions ?? systemInstruction;
  return [...(head === undefined ? [] : [{ role: "system", content: head }]), ...list].map((one: Fields) => {
    const { role, type, content, parts, tool_calls: calls } = one;
    const said = [content ?? parts, calls].map(textIn).filter((text) => text !== "");
    return { role: String(role ?? type ?? ""), text: said.join("\n\n") || textIn(one) };
  });
}
type Fields = Readonly<Record<string, unknown>>;

function textIn(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("\n\n");
  const { text, parts } = value as Fields;
  if (typeof text === "string") return text;
  return Array.isArray(parts) ? textIn(parts) : JSON.stringify(value, null, 2);
}
