import { Heap } from "./heap.ts";
import type { Line } from "./lines.ts";

/**
 * The working set: exact lines of hidden messages, chosen so that together they show as much as possible of what the next
 * steps are likely to need and of what is not visible elsewhere. A line earns only for terms that nothing shows yet.
 */

/** A term that comes again in a later line is better shown there, with its newest neighbours. */
const STALE_FACTOR = 0.3;
/** Below 1: longer lines are a little cheaper per character than short ones, because they bring their own neighbours. */
const COST_EXPONENT = 0.7;

export interface SelectInput {
  readonly candidates: readonly Line[];
  readonly weights: Float64Array;
  /** Term ids that are already shown; the selection adds to it. */
  readonly covered: Uint8Array;
  /** For each term the ordinal of the last line that has it. */
  readonly lastLine: Int32Array;
  /** Estimated tokens of a line, its share of headers included. */
  readonly cost: (line: Line) => number;
  /** Estimated tokens in all; the list may be longer by one line. */
  readonly budget: number;
}

/** Lines in the order of their worth: any prefix of the list is a good choice for its size. */
export function selectLines(input: SelectInput): Line[] {
  const { candidates, weights, covered, lastLine } = input;
  const costs = new Float64Array(candidates.length);
  const priority = new Float64Array(candidates.length);
  const gain = (index: number): number => {
    const line = candidates[index] as Line;
    let sum = 0;
    for (const term of line.terms) {
      if (covered[term] === 1) continue;
      const weight = weights[term] as number;
      sum += lastLine[term] === line.order ? weight : STALE_FACTOR * weight;
    }
    return sum / (costs[index] as number) ** COST_EXPONENT;
  };
  const heap = new Heap(priority);
  candidates.forEach((line, index) => {
    costs[index] = Math.max(1, input.cost(line));
    priority[index] = gain(index);
    if ((priority[index] as number) > 0) heap.push(index);
  });
  const chosen: Line[] = [];
  let used = 0;
  while (heap.size > 0 && used < input.budget) {
    const index = heap.pop() as number;
    const fresh = gain(index);
    if (fresh < (priority[index] as number)) {
      priority[index] = fresh;
      if (fresh > 0) heap.push(index);
      continue;
    }
    const line = candidates[index] as Line;
    chosen.push(line);
    used += costs[index] as number;
    for (const term of line.terms) covered[term] = 1;
  }
  return chosen;
}

/** Lines in time order under short headers that say what they are from and point at their messages. */
export function renderLines(lines: readonly Line[]): string {
  const ordered = [...lines].sort((a, b) => a.order - b.order);
  const out: string[] = [];
  let message = -1;
  for (const line of ordered) {
    if (line.message !== message) {
      message = line.message;
      out.push(`#${message + 1}${line.label === "" ? "" : ` ${shortLabel(line.label)}`}`);
    }
    out.push(line.text);
  }
  return out.join("\n");
}

const MAX_LABEL = 60;

/** A file by its name, anything else by its start. */
export function shortLabel(label: string): string {
  const name = label.slice(label.lastIndexOf("/") + 1) || label;
  return name.length <= MAX_LABEL ? name : `${name.slice(0, MAX_LABEL)}…`;
}
