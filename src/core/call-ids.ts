/**
 * Ids of tool calls by their order of appearance. It never changes: one with an id more is another one, and shares what
 * both know with it as long as nobody else has gone on from there.
 */
export class CallIds {
  readonly #ordinals: Map<string, number>;
  readonly #count: number;

  constructor(ordinals = new Map<string, number>(), count = ordinals.size) {
    this.#ordinals = ordinals;
    this.#count = count;
  }

  /** An id's order of appearance; undefined if it is new. */
  ordinalOf(id: string): number | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal !== undefined && ordinal < this.#count ? ordinal : undefined;
  }

  /** With one more id, which gets the number `size`. */
  with(id: string): CallIds {
    const isShared = this.#ordinals.size > this.#count;
    const ordinals = isShared ? new Map([...this.#ordinals].slice(0, this.#count)) : this.#ordinals;
    ordinals.set(id, this.#count);
    return new CallIds(ordinals, this.#count + 1);
  }

  get size(): number {
    return this.#count;
  }
}
