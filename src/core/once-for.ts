/**
 * Work that is done once for an object, and found again for as long as the object lives. A list that somebody has added to since is
 * read again.
 */
export function onceFor<K extends object, V>(work: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly length: number; readonly value: V }>();
  return (key) => {
    const length = Array.isArray(key) ? key.length : 0;
    const before = known.get(key);
    if (before?.length === length) return before.value;
    const value = work(key);
    known.set(key, { length, value });
    return value;
  };
}
