import { parseExact } from "../../core/exact-json.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { Conversation, ConversationStore, StoredMessage } from "../../stores/server-store.ts";

/** What is kept of transcripts that were looked at lately, in all (characters of JSON). */
const MAX_CHARS = 48_000_000;

/** The messages of a conversation, parsed and read. */
interface ReadTranscript {
  readonly stored: readonly StoredMessage[];
  readonly wires: readonly unknown[];
  readonly messages: readonly Message[];
}

/**
 * Transcripts of conversations that pages look at. The messages of a conversation never change (an edit makes a fork), so
 * only what was added since the last look is read.
 */
export interface Transcripts {
  read(
    tenant: string,
    conversation: Conversation,
    dialect: Dialect<unknown>,
    length?: number,
  ): Promise<ReadTranscript>;
}

interface Entry {
  readonly stored: StoredMessage[];
  readonly wires: unknown[];
  readonly messages: Message[];
  chars: number;
  /** The reading under way, or the last one: one at a time. */
  reading: Promise<void>;
}

export function createTranscripts(store: Pick<ConversationStore, "read">): Transcripts {
  const entries = new Map<string, Entry>();

  const readMore = async (entry: Entry, tenant: string, id: string, dialect: Dialect<unknown>) => {
    const from = entry.stored.length;
    for (const message of await store.read(tenant, id, from === 0 ? {} : { from })) {
      const wire = parseExact(message.wire);
      entry.stored.push(message);
      entry.wires.push(wire);
      entry.messages.push(dialect.read(wire));
      entry.chars += message.wire.length;
    }
  };
  const forgetOldest = (): void => {
    let chars = 0;
    for (const entry of entries.values()) chars += entry.chars;
    for (const [key, entry] of entries) {
      if (chars <= MAX_CHARS || entries.size === 1) return;
      entries.delete(key);
      chars -= entry.chars;
    }
  };

  return {
    async read(tenant, conversation, dialect, length) {
      const key = JSON.stringify([tenant, conversation.id, dialect.id]);
      const entry = entries.get(key) ?? {
        stored: [],
        wires: [],
        messages: [],
        chars: 0,
        reading: Promise.resolve(),
      };
      entries.delete(key);
      entries.set(key, entry);
      entry.reading = entry.reading
        .catch(() => {})
        .then(async () => {
          if (entry.stored.length < conversation.length)
            await readMore(entry, tenant, conversation.id, dialect);
        });
      try {
        await entry.reading;
      } catch (error) {
        entries.delete(key);
        throw error;
      }
      forgetOldest();
      // Copies: the lists go on growing. A reader sees the conversation as it was when it asked.
      const end = Math.min(length ?? conversation.length, conversation.length);
      return {
        stored: entry.stored.slice(0, end),
        wires: entry.wires.slice(0, end),
        messages: entry.messages.slice(0, end),
      };
    },
  };
}
