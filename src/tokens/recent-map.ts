/** A Map from strings that forgets what wasn't asked for lately. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Characters of all keys held at the moment. */
  readonly chars: number;
}

/**
 * A bounded Map: it holds keys of at most `maxChars` characters in all.
 *
 * Two generations instead of a linked list: a hit in the young one costs a single Map lookup, a hit in the old one
 * moves the key over, and when the young one has half of the characters it becomes the old one. So what was used in the
 * last `maxChars / 2` characters is always there, and what was used in the last `maxChars` mostly.
 */
export function createRecentMap<V>(maxChars: number): RecentMap<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  let youngChars = 0;
  let oldChars = 0;

  const set = (key: string, value: V): void => {
    // A key that would push out everything else isn't worth it.
    if (key.length > maxChars / 2) return;
    if (young.has(key)) {
      young.set(key, value);
      return;
    }
    if (youngChars + key.length > maxChars / 2) {
      old = young;
      oldChars = youngChars;
      young = new Map();
      youngChars = 0;
    }
    young.set(key, value);
    youngChars += key.length;
  };

  return {
    get(key) {
      const hit = young.get(key);
      if (hit !== undefined) return hit;
      const aged = old.get(key);
      if (aged !== undefined) set(key, aged);
      return aged;
    },
    set,
    get chars() {
      return youngChars + oldChars;
    },
  };
}
