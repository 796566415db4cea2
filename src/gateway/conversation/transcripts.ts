import { parseExact } from "../../core/exact-json.ts";
import type { Dialect, Message } from "../../core/types.ts";
import type { Conversation, ConversationStore, StoredMessage } from "../../stores/server-store.ts";
import { hideRounds } from "../wires/gateway-tools.ts";
import { hiddenRoundsOf } from "./hidden-answers.ts";
import { endOfAnswer } from "./reconcile.ts";

/** What is kept of transcripts that were looked at lately, in all (characters of JSON). */
const MAX_CHARS = 48_000_000;

interface ReadTranscript {
  readonly stored: readonly StoredMessage[];
  /** As the engine takes them: an answer with hidden rounds is a copy that stands for all of it. */
  readonly wires: readonly unknown[];
  readonly messages: readonly Message[];
}

/**
 * Transcripts of conversations that pages look at. Messages stay as they are, but another branch may be shown: what was added
 * since the last look is read, and the last message known, whose chain hash vouches for all before it.
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
  /** When the conversation was changed last, as far as it is known here, and which message it showed last. */
  changedAt: number;
  leaf: number | undefined;
  /** The reading under way, or the last one: one at a time. */
  reading: Promise<void>;
}

export function createTranscripts(store: Pick<ConversationStore, "read">): Transcripts {
  const entries = new Map<string, Entry>();

  const add = (entry: Entry, messages: readonly StoredMessage[], dialect: Dialect<unknown>): void => {
    for (const message of messages) {
      const wire = parseExact(message.wire);
      entry.stored.push(message);
      entry.wires.push(wire);
      entry.messages.push(dialect.read(wire));
      entry.chars += message.wire.length;
    }
    hide(entry, entry.stored.length - messages.length, dialect);
  };
  const readMore = async (
    entry: Entry,
    tenant: string,
    { id, length, updatedAt, leaf }: Conversation,
    dialect: Dialect<unknown>,
  ) => {
    const known = entry.stored.length;
    if (known >= length && updatedAt <= entry.changedAt && leaf === entry.leaf) return;
    const last = Math.max(0, Math.min(known, length) - 1);
    const [overlap, ...fresh] = await store.read(tenant, id, last === 0 ? {} : { from: last });
    entry.changedAt = updatedAt;
    entry.leaf = leaf;
    if (known > 0 && overlap?.hash === entry.stored[last]?.hash) {
      shorten(entry, last + 1);
      add(entry, fresh, dialect);
      return;
    }
    shorten(entry, 0);
    entry.chars = 0;
    const all = last === 0 ? (overlap ? [overlap, ...fresh] : []) : await store.read(tenant, id);
    add(entry, all, dialect);
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
        changedAt: 0,
        leaf: undefined,
        reading: Promise.resolve(),
      };
      entries.delete(key);
      entries.set(key, entry);
      entry.reading = entry.reading
        .catch(() => {})
        .then(() => readMore(entry, tenant, conversation, dialect));
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

/** Puts copies in the places of answers of which people are shown only a part, from a message on. */
function hide({ stored, wires, messages }: Entry, from: number, dialect: Dialect<unknown>): void {
  for (let index = from; index < stored.length; index++) {
    const real = hiddenRoundsOf(stored[index]!.given, dialect);
    if (!real) continue;
    const shown = wires.slice(index, endOfAnswer(messages, index)) as object[];
    for (const [offset, copy] of hideRounds(shown, real).entries()) {
      wires[index + offset] = copy;
      messages[index + offset] = dialect.read(copy);
    }
  }
}

function shorten({ stored, wires, messages }: Entry, length: number): void {
  for (const list of [stored, wires, messages]) list.length = length;
}
