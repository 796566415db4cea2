import type { ChatMessage as WireMessage } from "../apis/chat/wire.ts";
import type { ChatMessage } from "./types.ts";

/** What a message costs beside its text (role, separators), in tokens. */
export const MESSAGE_OVERHEAD = 4;

/** A message as text: its content, then each call's name and arguments on a line of its own. */
export function messageText(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map(
    (call) => `\n${call.function.name} ${call.function.arguments}`,
  );
  return message.content + calls.join("");
}

/** Messages as one text: the form in which views are scored. */
export function messagesText(messages: readonly ChatMessage[]): string {
  return messages.map(messageText).join("\n");
}

/** A view as precis hands it out: the same text, whatever shape the contents have. */
export function viewText(messages: readonly WireMessage[]): string {
  return messages
    .map(({ content, tool_calls: calls }) => {
      const text =
        typeof content === "string"
          ? content
          : (content ?? []).map((part) => String(part.text ?? "")).join("\n");
      return (
        text + (calls ?? []).map((call) => `\n${call.function?.name} ${call.function?.arguments}`).join("")
      );
    })
    .join("\n");
}

/** Newlines that JSON arguments carry as two characters, as newlines: a path at the start of such a line is a path. */
export function unescapeNewlines(text: string): string {
  return text.replaceAll("\\n", "\n");
}

/** Text as a person would read it in a file: what JSON escapes in arguments is undone. */
export function plainText(text: string): string {
  return unescapeNewlines(text).replaceAll("\\t", "\t").replaceAll('\\"', '"');
}
