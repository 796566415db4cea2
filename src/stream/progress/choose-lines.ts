import { runNow } from "../../core/steps.ts";
import { takeBest } from "../../summaries/take-best.ts";
import { type NoteLine, wordsOf } from "./notes.ts";

/** A newest line's words count this much more than an oldest one's. */
const RECENCY = 0.25;

/**
 * The lines that bring the most new words per token, then, as far as there is room, the newest others: a step that was
 * done is worth telling even if all of its words stand elsewhere. In the order in which they were said, none twice.
 * `seen` is the text that stands beside them.
 */
export function chooseLines(
  lines: readonly NoteLine[],
  seen: string,
  room: number,
  count: (text: string) => number,
): NoteLine[] {
  const covered = wordsOf(seen);
  const tokens = lines.map((line) => Math.max(1, count(line.text)));
  const gain = (index: number): number => {
    const line = lines[index]!;
    let fresh = 0;
    for (const word of line.words) if (!covered.has(word)) fresh++;
    return (fresh * (1 + (RECENCY * index) / lines.length)) / tokens[index]!;
  };
  const chosen = new Set<number>();
  let left = room;
  const take = (index: number): void => {
    if (tokens[index]! > left) return;
    chosen.add(index);
    left -= tokens[index]!;
    for (const word of lines[index]!.words) covered.add(word);
  };
  runNow(takeBest(lines.length, { worth: gain, take }));
  const told = new Set([...chosen].map((index) => lines[index]!.text));
  for (let index = lines.length - 1; index >= 0; index--) {
    const { text } = lines[index]!;
    if (told.has(text) || tokens[index]! > left || seen.includes(text)) continue;
    chosen.add(index);
    told.add(text);
    left -= tokens[index]!;
  }
  return [...chosen].sort((a, b) => a - b).map((index) => lines[index]!);
}
