/** Puts an entry into a map as its newest, and forgets the oldest ones of more than `most`. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  forgetOldest(map, most);
}

/** Forgets what was put in first, until at most so many are left. */
export function forgetOldest(held: Map<unknown, unknown> | Set<unknown>, most: number): void {
  for (const key of held.keys()) {
    if (held.size <= most) return;
    held.delete(key);
  }
}
