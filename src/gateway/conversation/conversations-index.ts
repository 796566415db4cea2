import { parseExact } from "../../core/exact-json.ts";
import { dialectById } from "../../dialects/dialect-by-id.ts";
import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import { createMemoryIndex } from "../../recall/memory-index.ts";
import type { Conversation, ConversationStore } from "../../stores/server-store.ts";
import { readHead } from "./stored-head.ts";

const DEFAULT_DIALECT = "openai-chat";

/** An index of several conversations, made anew for each search: it reads them all. */
export function conversationsIndex(
  { conversations: store }: { readonly conversations: Pick<ConversationStore, "head" | "read"> },
  tenant: string,
  conversations: readonly Pick<Conversation, "id" | "dialect">[],
): RecallIndex {
  return {
    async candidates({ signal }) {
      const index = createMemoryIndex();
      const messages: FoundMessage[] = [];
      // Forks share messages. One that is found once in each of them would be one answer in the place of several.
      const seen = new Set<string>();
      for (const conversation of conversations) {
        signal?.throwIfAborted();
        const { id } = conversation;
        const dialect = dialectById(conversation.dialect ?? DEFAULT_DIALECT);
        const { lead } = readHead(dialect, await store.head(tenant, id));
        const tools = new Map<string, string>();
        for (const { hash, position, wire } of await store.read(tenant, id)) {
          const message = dialect.read(parseExact(wire));
          for (const part of message.parts) if (part.type === "tool-call") tools.set(part.id, part.name);
          if (seen.has(hash)) continue;
          seen.add(hash);
          index.add(message);
          const toolOf = (call: string) => tools.get(call);
          messages.push({ conversation: id, index: lead.length + position, message, toolOf });
        }
      }
      return { statistics: index.statistics, messages };
    },
  };
}
