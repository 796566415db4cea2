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

interface Held extends ConversationEnd {
  readonly tenant: string;
}

/** By conversation alone: of two tenants with the same id only the one that wrote last is known, and the other is looked up. */
export function createConversationEnds(): ConversationEnds {
  let ends = new Map<string, Held>();
  let older = new Map<string, Held>();
  return {
    get(tenant, conversation) {
      const held = ends.get(conversation) ?? older.get(conversation);
      return held?.tenant === tenant ? held : undefined;
    },
    set(tenant, conversation, { length, newest }) {
      if (ends.size >= GENERATION) {
        older = ends;
        ends = new Map();
      }
      ends.set(conversation, { tenant, length, newest });
    },
    delete(_, conversation) {
      ends.delete(conversation);
      older.delete(conversation);
    },
    clear() {
      ends = new Map();
      older = new Map();
    },
  };
}
