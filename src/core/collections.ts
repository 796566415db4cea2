/** Adds a value to the list that a map has under a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The last of those that have the same key, in the order in which they came. */
export function newestBy<T>(items: readonly T[], keyOf: (item: T) => unknown): T[] {
  const newest = new Map<unknown, T>();
  for (const item of items) newest.set(keyOf(item), item);
  return items.filter((item) => newest.get(keyOf(item)) === item);
}

/** Only the fields that have a value, for objects with optional fields. */
export function defined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** What a memory holds of short things, unless it says otherwise: more than a server has in use, and no more than some megabytes. */
const MOST_HELD = 10_000;

/** Puts an entry into a map as its newest, and forgets the oldest ones of more than `most`. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most?: number): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, most);
}

/** Forgets what was put in first, until at most so many are left. */
export function forgetOldest(held: Map<unknown, unknown> | Set<unknown>, most = MOST_HELD): void {
  for (const key of held.keys()) {
    if (held.size <= most) return;
    held.delete(key);
  }
}

/**
 * Work that is done once for an object, and found again for as long as the object lives. A list that somebody has added to since is
 * read again.
 */
export function onceFor<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = noteFor<V>();
  return (key) => known(key, [Array.isArray(key) ? key.length : 0], () => work(key));
}

/** The same for work that depends on more than the object: it is done again where `by` is another. */
export function noteFor<V>(): (key: object, by: readonly unknown[], work: () => V) => V {
  const known = new WeakMap<object, { readonly by: readonly unknown[]; readonly value: V }>();
  return (key, by, work) => {
    const before = known.get(key);
    if (before?.by.every((one, at) => one === by[at])) return before.value;
    const value = work();
    known.set(key, { by, value });
    return value;
  };
}

/**
 * The largest of the numbers `from` to `to` of which the test is true; `from` − 1 if it is true of none. A test that is true of a number
 * has to be true of all smaller ones: the place is found by halving.
 */
export function lastTrue(from: number, to: number, isTrue: (number: number) => boolean): number {
  let low = from - 1;
  let high = to + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The size to which all are cut so that together they have `total`: small ones leave their room to the others. Infinity: all fit whole. */
export function evenShare(sizes: readonly number[], total: number): number {
  const sorted = sizes.toSorted((a, b) => a - b);
  let left = total;
  for (const [at, size] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

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

/** What was found out about texts, of which some are longer than any memory has room for. */
export interface TextMemo<V> {
  get(text: string): V | undefined;
  /** Keeps a value; that of a long text at least for as long as `owner` lives, which had better be what holds the text. */
  set(text: string, value: V, owner?: object): void;
}

/** Texts that a memo remembers: characters in all. A transcript of a million tokens has about 4 M. */
const MEMO_CHARS = 32_000_000;
/** Longer texts are kept for their owners, and counted with pauses (characters). */
export const LONG_CHARS = 32_768;
/** Longer ones are taken as they are where reading them is a convenience: it would take a server's time from everybody (characters). */
export const HUGE_CHARS = 1_000_000;

export function createTextMemo<V>(): TextMemo<V> {
  const recent = createRecentMap<V>(MEMO_CHARS);
  const held = new Map<string, { readonly value: V; owners: number }>();
  const owners = new FinalizationRegistry<string>((text) => {
    const one = held.get(text);
    if (one && --one.owners === 0) held.delete(text);
  });
  return {
    get: (text) => recent.get(text) ?? (text.length > LONG_CHARS ? held.get(text)?.value : undefined),
    set(text, value, owner) {
      recent.set(text, value);
      if (owner === undefined || text.length <= LONG_CHARS) return;
      const one = held.get(text);
      if (one) one.owners++;
      else held.set(text, { value, owners: 1 });
      owners.register(owner, text);
    },
  };
}
