import type { ChatMessage as WireMessage } from "../../apis/chat/wire.ts";

/** A message as a reader sees it. */
export interface Shown {
  readonly role: string;
  readonly text: string;
}

const NAMES: Readonly<Record<string, string>> = { tool: "tool result" };

/** Messages with their speakers. The names stand for what a message costs on the wire, about four tokens. */
export function readerText(messages: readonly Shown[]): string {
  return messages.map(({ role, text }) => `[${NAMES[role] ?? role}]\n${text}`).join("\n\n");
}

/** A message of the Chat Completions format, its calls as lines. */
export function shownMessage({ role, content, tool_calls: calls }: WireMessage): Shown {
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => String(part.text ?? "")).join("\n");
  const lines = (calls ?? []).map((call) => `→ ${call.function?.name} ${call.function?.arguments}`);
  return { role, text: [...(text === "" ? [] : [text]), ...lines].join("\n") };
}
