import { Heap } from "../../summaries/heap.ts";
import type { NoteLine } from "./notes.ts";

/** A newest line's words count this much more than an oldest one's. */
const RECENCY = 0.25;

/**
 * The lines that bring the most new words per token, in the order in which they were said. `seen` are the words that
 * stand elsewhere already; a line that brings none is left out.
 */
export function chooseLines(
  lines: readonly NoteLine[],
  seen: ReadonlySet<string>,
  room: number,
  count: (text: string) => number,
): NoteLine[] {
  const covered = new Set(seen);
  const priority = new Float64Array(lines.length);
  const heap = new Heap(priority);
  const tokens = lines.map((line) => Math.max(1, count(line.text)));
  const gain = (index: number): number => {
    const line = lines[index]!;
    let fresh = 0;
    for (const word of line.words) if (!covered.has(word)) fresh++;
    return (fresh * (1 + (RECENCY * index) / lines.length)) / tokens[index]!;
  };
  for (let index = 0; index < lines.length; index++) {
    priority[index] = gain(index);
    heap.push(index);
  }
  const chosen: number[] = [];
  let left = room;
  for (let index = heap.pop(); index !== undefined; index = heap.pop()) {
    const now = gain(index);
    if (now <= 0 || tokens[index]! > left) continue;
    // Others may have brought its words meanwhile: it goes back to where it belongs now.
    if (now < priority[index]!) {
      priority[index] = now;
      heap.push(index);
      continue;
    }
    chosen.push(index);
    left -= tokens[index]!;
    for (const word of lines[index]!.words) covered.add(word);
  }
  return chosen.sort((a, b) => a - b).map((index) => lines[index]!);
}
