/** Hashes that one statement handles. */
export const HASHES_PER_STATEMENT = 1_000;

export function* inBatches<T>(list: readonly T[], size: number): Iterable<T[]> {
  for (let i = 0; i < list.length; i += size) yield list.slice(i, i + size);
}
