import { saidText } from "../core/message-text.ts";
import type { Message } from "../core/types.ts";
import { typedText } from "./user-words.ts";

/** The newest words of the user and of the assistant. */
export function newestWords(messages: readonly Message[]): string {
  return (["user", "assistant"] as const).map((role) => newestText(messages, role)).join("\n");
}

function newestText(messages: readonly Message[], role: "user" | "assistant"): string {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== role) continue;
    const text = saidText(message);
    if (text.trim() !== "") return role === "user" ? typedText(text) : text;
  }
  return "";
}
