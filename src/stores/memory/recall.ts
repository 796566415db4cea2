import { dialectById } from "../../dialects/dialect-by-id.ts";
import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import { createMemoryIndex } from "../../recall/memory-index.ts";
import { readHead } from "../../recall/stored-head.ts";
import { readWire } from "../shared/read-wire.ts";
import type { HeldConversation, MemoryContext } from "./tenant-data.ts";

/** Reads everything at each search: what is kept in memory is little. */
export function memoryRecall(
  context: MemoryContext,
  tenant: string,
  conversation: string | undefined,
): RecallIndex {
  return {
    async candidates() {
      const { conversations } = context.of("recall", tenant);
      const held =
        conversation === undefined ? [...conversations.values()] : [conversations.get(conversation)];
      const index = createMemoryIndex();
      const messages = held.flatMap((one) => (one ? messagesOf(one) : []));
      for (const { message } of messages) index.add(message);
      return { statistics: index.statistics, messages };
    },
  };
}

function messagesOf({ row, messages }: HeldConversation): FoundMessage[] {
  const dialect = dialectById(row.dialect ?? "openai-chat");
  const lead = readHead(dialect, row.head ?? undefined).lead.length;
  return messages.flatMap(({ position, wire }) => {
    const message = readWire(dialect, wire);
    return message ? [{ conversation: row.id, index: position + lead, lead, message }] : [];
  });
}
