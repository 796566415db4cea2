import { Heap } from "./heap.ts";

/**
 * Takes items by their ordinals, always the one that is worth most. Whatever is taken only lowers the worth of the others, so an old
 * worth is an upper bound: an item that is still on top after a fresh look is the best. What is worth nothing isn't taken.
 */
export function takeBest(
  items: number,
  choice: {
    readonly worth: (at: number) => number;
    readonly take: (at: number) => void;
    /** Is there no room for more? */
    readonly isFull?: () => boolean;
  },
): void {
  const { worth, take, isFull = () => false } = choice;
  const priority = new Float64Array(items);
  const heap = new Heap(priority);
  const push = (at: number, fresh: number): void => {
    priority[at] = fresh;
    if (fresh > 0) heap.push(at);
  };
  for (let at = 0; at < items; at++) {
    push(at, worth(at));
  }
  for (let at = heap.pop(); at !== undefined && !isFull(); at = heap.pop()) {
    const fresh = worth(at);
    if (fresh < priority[at]!) push(at, fresh);
    else take(at);
  }
}
