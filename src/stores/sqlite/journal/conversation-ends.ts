/** Where a conversation ends. */
export interface ConversationEnd {
  readonly length: number;
  /** Chain hash of its last message. */
  readonly newest: string | undefined;
}

/** The ends of the conversations that this process wrote to last. */
export interface ConversationEnds {
  get(tenant: string, conversation: string): ConversationEnd | undefined;
  set(tenant: string, conversation: string, end: ConversationEnd): void;
  delete(tenant: string, conversation: string): void;
  clear(): void;
}

/** Conversations in each of two generations: what wasn't used during one is forgotten. */
const GENERATION = 10_000;

export function createConversationEnds(): ConversationEnds {
  let ends = new Map<string, ConversationEnd>();
  let older = new Map<string, ConversationEnd>();
  const keyOf = (tenant: string, conversation: string) => `${conversation} ${tenant}`;
  return {
    get(tenant, conversation) {
      const key = keyOf(tenant, conversation);
      return ends.get(key) ?? older.get(key);
    },
    set(tenant, conversation, end) {
      if (ends.size >= GENERATION) {
        older = ends;
        ends = new Map();
      }
      ends.set(keyOf(tenant, conversation), end);
    },
    delete(tenant, conversation) {
      const key = keyOf(tenant, conversation);
      ends.delete(key);
      older.delete(key);
    },
    clear() {
      ends = new Map();
      older = new Map();
    },
  };
}
