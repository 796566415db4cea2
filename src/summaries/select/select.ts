/**
 * The one way in which summaries choose: what is worth most, as long as there is room. What is taken may lower the worth of
 * others (they say the same), never raise it. So an old worth is an upper bound, and what is still on top after a fresh look is the
 * best. What is worth nothing isn't taken; of two that are worth the same, the later one is.
 */
export function select<T>(
  items: readonly T[],
  choice: {
    readonly worth: (item: T, at: number) => number;
    /** Tokens. Default: none. */
    readonly price?: (item: T, at: number) => number;
    /** Tokens for all. Default: no limit. `beyond`: the last one may reach beyond it, and nothing smaller is looked for. */
    readonly budget?: number;
    readonly beyond?: boolean;
    /** A last question about what is going to be taken. */
    readonly isWanted?: (item: T, at: number) => boolean;
    readonly onTake?: (item: T, at: number) => void;
  },
): T[] {
  const {
    worth,
    price = () => 0,
    budget = Number.POSITIVE_INFINITY,
    beyond = false,
    isWanted,
    onTake,
  } = choice;
  const known = new Float64Array(items.length);
  const heap: number[] = [];
  const isBefore = (a: number, b: number): boolean => (known[a] === known[b] ? a > b : known[a]! > known[b]!);
  const push = (at: number, fresh: number): void => {
    known[at] = fresh;
    if (fresh > 0) rise(heap, at, isBefore);
  };
  for (const [at, item] of items.entries()) push(at, worth(item, at));
  const taken: T[] = [];
  let used = 0;
  for (let at = pop(heap, isBefore); at !== undefined && used < budget; at = pop(heap, isBefore)) {
    const item = items[at]!;
    const fresh = worth(item, at);
    if (fresh < known[at]!) push(at, fresh);
    else if (isWanted?.(item, at) !== false) {
      const cost = price(item, at);
      if (used + cost > budget && !beyond) continue;
      used += cost;
      taken.push(item);
      onTake?.(item, at);
    }
  }
  return taken;
}

/** Puts a number in its place in a heap. */
function rise(heap: number[], item: number, isBefore: (a: number, b: number) => boolean): void {
  let at = heap.length;
  heap.push(item);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(item, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = item;
}

/** Takes the first number out of a heap. */
function pop(heap: number[], isBefore: (a: number, b: number) => boolean): number | undefined {
  const top = heap[0];
  const moved = heap.pop();
  if (top === undefined || moved === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, moved)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = moved;
  return top;
}
