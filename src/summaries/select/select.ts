import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { TranscriptLines } from "../material/lines.ts";
import type { Shape, TermTable } from "../material/terms.ts";
import { typedText } from "../material/user-words.ts";
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

/**
 * How likely a term is to be needed again, times how much it is worth: one number per term. What the agent itself wrote
 * into its calls, and how recently, tells most; terms that only tools have said tell least.
 */

/**
 * Signs that a term will be needed, each with its weight in a logistic regression over 88 recorded sessions of coding agents: a term was
 * needed if one of the next 15 calls used it before anybody had said it again.
 */
const TERM_WEIGHTS = {
  bias: -2.15,
  /** Logarithm of the lines that have it; the same line from a tool counts once. */
  lines: 0.7,
  /** Logarithm of the calls that name it. */
  calls: 1.05,
  recency: 1.9,
  callRecency: 0.5,
  digit: -0.4,
  onlyInResults: -1.9,
};

/** What seeing a term again is worth, by its form: a path can't be guessed, a common word can. */
const VALUES: Readonly<Record<Shape, number>> = {
  path: 1,
  dotted: 0.6,
  name: 0.75,
  digits: 0.2,
  joined: 0.3,
  dense: 0.15,
  capitalised: 0.05,
  plain: 0.1,
};

/** Weight of each term by id. Names of arguments stand in the tool schemas, so they earn nothing. */
export function termWeights({ lines, table, length, argumentNames }: TranscriptLines): Float64Array {
  const size = table.terms.length;
  const inLines = new Float64Array(size);
  const inCalls = new Float64Array(size);
  const saidElsewhere = new Uint8Array(size);
  const last = new Float64Array(size).fill(-1);
  const lastCall = new Float64Array(size).fill(-1);
  const inResults = new Uint8Array(lines.length);
  for (const { kind, position, terms, first } of lines) {
    // What tools put under every answer (notes, banners) says nothing about need, however often it comes.
    const again = kind === "result" && inResults[first] === 1;
    if (kind === "result") inResults[first] = 1;
    for (const term of terms) {
      if (!again) inLines[term]!++;
      last[term] = position;
      if (kind === "call") {
        inCalls[term]!++;
        lastCall[term] = position;
      }
      if (kind !== "result") saidElsewhere[term] = 1;
    }
  }
  const recencyOf = (position: number): number => (position < 0 ? NEVER : recency(length - position));
  const { bias, lines: byLines, calls, recency: newest, callRecency, digit, onlyInResults } = TERM_WEIGHTS;
  return Float64Array.from(table.shapes, (shape, term) => {
    if (argumentNames.has(term)) return 0;
    const sum =
      bias +
      byLines * Math.log1p(inLines[term]!) +
      calls * Math.log1p(inCalls[term]!) +
      newest * recencyOf(last[term]!) +
      callRecency * recencyOf(lastCall[term]!) +
      (table.hasDigit[term] ? digit : 0) +
      (saidElsewhere[term] ? 0 : onlyInResults);
    return VALUES[shape] / (1 + Math.exp(-sum));
  });
}

/** Age at which recency has clearly begun to fade (characters). */
const SCALE = 2_000;
/** Brings a transcript of some hundred thousand characters to about −1. */
const SPAN = 6;
/** For what has never been: as old as the oldest. */
export const NEVER = -1;

/** How recent something is: 0 for the newest, about −1 for the oldest, falling fast at first. */
export function recency(age: number): number {
  return -Math.log1p(age / SCALE) / SPAN;
}

/** What a term is worth that the newest words name, in units of a path that is surely needed. Common words say little. */
const WORTH: Readonly<Record<Shape, number>> = {
  path: 1,
  dotted: 1,
  name: 1,
  digits: 0.5,
  joined: 0.5,
  dense: 0.1,
  capitalised: 0.1,
  plain: 0.05,
};

/** The terms of the newest words, with what showing each is worth: the next step is about it. */
export function newestTerms(newest: string, table: TermTable): ReadonlyMap<number, number> {
  return new Map(table.scan(newest).map((term) => [term, WORTH[table.shapes[term]!]]));
}

/** From this worth on a term is a name that somebody asks about, not a word. */
const NAMES_SOMETHING = 0.5;

/** Ordinals of the lines that show last what the newest words name. */
export function namedLines(named: ReadonlyMap<number, number>, lastLine: Int32Array): number[] {
  const orders = new Set<number>();
  for (const [term, worth] of named) {
    const order = worth >= NAMES_SOMETHING ? (lastLine[term] ?? -1) : -1;
    if (order >= 0) orders.add(order);
  }
  return [...orders];
}

/** The newest words of the user and of the assistant. */
export function newestWords(messages: readonly Message[]): string {
  return (["user", "assistant"] as const).map((role) => newestText(messages, role)).join("\n");
}

function newestText(messages: readonly Message[], role: "user" | "assistant"): string {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== role) continue;
    const text = saidText(message);
    if (text.trim() !== "") return role === "user" ? typedText(text) : text;
  }
  return "";
}
