import type { ApiConversation, ApiMessages } from "../../gateway/api.ts";
import { formatCount, formatTime } from "../format.ts";
import type { Paint } from "../paint.ts";
import { shortId } from "../short-names.ts";
import { oneLine } from "./plain-text.ts";
import { preview } from "./view-text.ts";

/** One line for each conversation. */
export function conversationsText(conversations: readonly ApiConversation[], columns: number): string {
  if (conversations.length === 0) return "There are no conversations yet.\n";
  return conversations
    .map((one) => {
      const facts = `${shortId(one.id)}  ${formatTime(one.updatedAt)}  ${formatCount(one.messages).padStart(6)} messages  `;
      return `${facts}${oneLine(one.title === "" ? "(no title)" : one.title, Math.max(12, columns - facts.length))}\n`;
    })
    .join("");
}

/** Where a resumed conversation stands: its title and its newest messages, a line each. */
export function messagesText(
  conversation: ApiConversation,
  shown: ApiMessages,
  columns: number,
  paint: Paint,
): string {
  const { lead } = shown;
  const title = conversation.title === "" ? "(no title)" : conversation.title;
  return [
    paint("strong", oneLine(`${title}, ${formatCount(conversation.messages)} messages`, columns)),
    ...(shown.from > 0 ? [paint("dim", `  … ${formatCount(shown.from)} before`)] : []),
    ...shown.messages.map((message) => {
      const start = `  #${message.index + 1 + lead} ${message.role}: `;
      return `${paint("dim", start)}${preview(message, Math.max(12, columns - start.length))}`;
    }),
  ].join("\n");
}
