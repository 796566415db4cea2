import {
  type ApiConversation,
  type ApiMessage,
  type Part,
  routes,
  splitAttachments,
} from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { Api } from "./api-client.ts";
import { pretty } from "./message-text.ts";

/** Messages read at a time. */
const PAGE_SIZE = 500;

/** All that was said in a conversation, as people read it. */
export async function exportMarkdown(api: Api, { id, title }: ApiConversation): Promise<string> {
  const messages: ApiMessage[] = [];
  let system = "";
  for (let total = 1; messages.length < total; ) {
    const from = messages.length;
    const page = await api.call(routes.messages, { params: { id }, query: { from, to: from + PAGE_SIZE } });
    if (page.messages.length === 0) break;
    messages.push(...page.messages);
    ({ system, total } = page);
  }
  return markdownOf(title || strings.sidebar.untitled, system, messages);
}

export function markdownOf(
  title: string,
  system: string,
  messages: readonly Pick<ApiMessage, "role" | "parts">[],
): string {
  const pieces = [`# ${title}`];
  let speaker = "";
  const speak = (role: ApiMessage["role"]) => {
    if (role !== speaker) pieces.push(`## ${strings.roles[role]}`);
    speaker = role;
  };
  if (system !== "") pieces.push(`## ${strings.chat.system}`, fenced(system));
  for (const { role, parts } of messages) {
    speak(
      role === "tool" || (parts.length > 0 && parts.every(({ type }) => type === "tool-result"))
        ? "assistant"
        : role,
    );
    pieces.push(...parts.map((part) => partOf(part, role)));
  }
  return `${pieces.filter((piece) => piece !== "").join("\n\n")}\n`;
}

function partOf(part: Part, role: ApiMessage["role"]): string {
  switch (part.type) {
    case "text": {
      if (role !== "user") return part.text.trim();
      const { words, attachments } = splitAttachments(part.text);
      return [words.trim(), ...attachments.map(({ name, text }) => `**${name}**\n\n${fenced(text)}`)].join(
        "\n\n",
      );
    }
    case "tool-call":
      return `**${part.name}**\n\n${fenced(pretty(part.args))}`;
    case "tool-result":
      return `**${part.error ? strings.chat.error : strings.chat.result}**\n\n${fenced(pretty(part.text))}`;
    case "image":
      return /^https?:/.test(part.source) ? `![](${part.source})` : `[${strings.chat.image}]`;
    case "file":
      return `[${part.name ?? strings.chat.file("")}]`;
    default:
      return "";
  }
}

/** A block that nothing in it ends. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
