/** Where a conversation ends. */
export interface Tail {
  readonly length: number;
  /** Chain hash of its last message. */
  readonly newest: string | undefined;
}

/** The ends of the conversations that this process wrote to last. */
export interface Tails {
  get(tenant: string, conversation: string): Tail | undefined;
  set(tenant: string, conversation: string, tail: Tail): void;
  delete(tenant: string, conversation: string): void;
  clear(): void;
}

/** Conversations in each of two generations: what wasn't used during one is forgotten. */
const GENERATION = 10_000;

export function createTails(): Tails {
  let tails = new Map<string, Tail>();
  let older = new Map<string, Tail>();
  const keyOf = (tenant: string, conversation: string) => `${conversation} ${tenant}`;
  return {
    get(tenant, conversation) {
      const key = keyOf(tenant, conversation);
      return tails.get(key) ?? older.get(key);
    },
    set(tenant, conversation, tail) {
      if (tails.size >= GENERATION) {
        older = tails;
        tails = new Map();
      }
      tails.set(keyOf(tenant, conversation), tail);
    },
    delete(tenant, conversation) {
      const key = keyOf(tenant, conversation);
      tails.delete(key);
      older.delete(key);
    },
    clear() {
      tails = new Map();
      older = new Map();
    },
  };
}
