export interface Held<T> {
  readonly record: T;
  readonly savedAt: number;
}

const NONE: readonly string[] = [];

/** Records by their keys that are found by their hashes, too: a request asks for those of a few hashes among thousands. */
export class HeldRecords<T extends { readonly hash: string }> extends Map<string, Held<T>> {
  readonly #keys = new Map<string, Set<string>>();

  withHashes(hashes: readonly string[]): T[] {
    const records: T[] = [];
    for (const hash of hashes)
      for (const key of this.#keys.get(hash) ?? NONE) records.push(this.get(key)!.record);
    return records;
  }

  override set(key: string, held: Held<T>): this {
    this.delete(key);
    const { hash } = held.record;
    const keys = this.#keys.get(hash);
    if (keys === undefined) this.#keys.set(hash, new Set([key]));
    else keys.add(key);
    return super.set(key, held);
  }

  override delete(key: string): boolean {
    const held = this.get(key);
    if (held === undefined) return false;
    const { hash } = held.record;
    const keys = this.#keys.get(hash)!;
    keys.delete(key);
    if (keys.size === 0) this.#keys.delete(hash);
    return super.delete(key);
  }

  override clear(): void {
    this.#keys.clear();
    super.clear();
  }
}
