/** A max-heap of indexes by priority: what lazy greedy selection needs and nothing more. */
export class Heap {
  readonly #items: number[] = [];
  readonly #priority: Float64Array;

  constructor(priority: Float64Array) {
    this.#priority = priority;
  }

  /** Ties go to the higher index (the newer line), so that the order never depends on insertion. */
  #before(a: number, b: number): boolean {
    const difference = (this.#priority[a] as number) - (this.#priority[b] as number);
    return difference === 0 ? a > b : difference > 0;
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(item, items[parent] as number)) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const top = items[0];
    const moved = items.pop();
    if (top === undefined || moved === undefined || items.length === 0) return top;
    const length = items.length;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#before(items[child + 1] as number, items[child] as number)) child++;
      if (!this.#before(items[child] as number, moved)) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = moved;
    return top;
  }
}
