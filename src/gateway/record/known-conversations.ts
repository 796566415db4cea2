/** Conversations whose newest message is remembered. */
const MAX_KNOWN = 20_000;

/** What a node remembers of a conversation between two requests. */
export interface Known {
  /** Its id, once it is in the store. */
  id: string | undefined;
  readonly session: string;
  readonly lane: string;
  /** Chain hash of the newest stored message. */
  newest: string | undefined;
  /** The system prompt as stored. */
  head: string | undefined;
  lastRequestAt: number;
  /** Tool rounds seen since the last compaction, by what was called, to notice a client that goes in circles. */
  rounds: Map<string, number> | undefined;
}

/** Conversations by tenant and chain hash of their newest messages; the least recently used are forgotten. */
export interface KnownConversations {
  /** The longest prefix that is known: how many messages, and of which conversation. */
  find(
    tenant: string,
    chain: readonly string[],
  ): { readonly known: Known; readonly matched: number } | undefined;
  remember(tenant: string, hash: string, known: Known): void;
  forget(id: string): void;
}

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;

export function createKnownConversations(): KnownConversations {
  const byHash = new Map<string, Known>();
  const newest = new WeakMap<Known, string[]>();
  return {
    find(tenant, chain) {
      const stop = Math.max(1, chain.length - LOOK_BACK);
      for (let length = chain.length - 1; length >= stop; length--) {
        const key = `${tenant} ${chain[length]}`;
        const known = byHash.get(key);
        if (!known) continue;
        byHash.delete(key);
        byHash.set(key, known);
        return { known, matched: length };
      }
      return undefined;
    },
    remember(tenant, hash, known) {
      const key = `${tenant} ${hash}`;
      const keys = newest.get(known) ?? [];
      if (!keys.includes(key)) keys.push(key);
      // The end of the last request and the end of its answer; older ends are found in the store.
      while (keys.length > 2) byHash.delete(keys.shift()!);
      newest.set(known, keys);
      known.newest = hash;
      byHash.set(key, known);
      if (byHash.size > MAX_KNOWN) byHash.delete(byHash.keys().next().value!);
    },
    forget(id) {
      for (const [key, known] of byHash) if (known.id === id) byHash.delete(key);
    },
  };
}
