import { openaiChat } from "../../src/apis/index.ts";
import { chainOf } from "../../src/core/chain.ts";
import type { Append, Appended, ServerStore } from "../../src/stores/server-store.ts";

/** Stores a chat of the openai-chat format as the gateway would: leading system messages apart. */
export function storeChat(
  store: Pick<ServerStore, "conversations">,
  chat: readonly object[],
  more: Partial<Append> & {
    readonly tenant?: string;
    /** Messages behind the leading ones that the conversation has already. */
    readonly from?: number;
  } = {},
): Promise<Appended> {
  const { tenant = "default", from = 0, ...rest } = more;
  const lead = chat.findIndex((message) => (message as { role?: unknown }).role !== "system");
  const said = chat.slice(lead);
  const messages = said.map((message) => openaiChat.read(message as never));
  const chain = chainOf(messages, 0);
  return store.conversations.append(tenant, {
    dialect: "openai-chat",
    ...(lead > 0 && { head: JSON.stringify(chat.slice(0, lead)) }),
    ...(from > 0 && { after: chain[from]! }),
    messages: said
      .map((message, at) => ({
        hash: chain[at + 1]!,
        role: messages[at]!.role,
        wire: JSON.stringify(message),
        at,
      }))
      .slice(from),
    at: Date.UTC(2026, 0, 2),
    ...rest,
  });
}
