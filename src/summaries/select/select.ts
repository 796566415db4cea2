import { hasWords, spokenSentences } from "../text/sentences.ts";
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

/** Shorter texts ("Done.", "return true;") may be said twice and mean two things (characters). */
const LEAST_CHARS = 25;

/** A text as it is compared: marks, bullets, capital letters and blanks make no other one of it. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[*_`#>]+/g, "")
    .replace(/\s+/g, " ")
    .replace(/^[\s\-–•+"'“”]+/, "")
    .replace(/[\s.,;:!?…"'“”]+$/, "");
}

/**
 * Tells of a text whether it, or each of its sentences, stands in what is said elsewhere. Texts of fewer than `least` characters
 * are never taken for said.
 */
export function saidAlready(said: readonly string[], least = LEAST_CHARS): (text: string) => boolean {
  const all = plain(said.join("\n"));
  if (all === "") return () => false;
  const stands = (text: string): boolean => text.length >= Math.max(1, least) && hasWords(all, text);
  return (text) => {
    if (stands(plain(text))) return true;
    const sentences = spokenSentences(text)
      .map(plain)
      .filter((one) => one !== "");
    return sentences.length > 1 && sentences.every(stands);
  };
}
