import type { TranscriptLines } from "./lines.ts";
import { NEVER, recency } from "./recency.ts";

/**
 * How likely a line is to be used again letter for letter: the next edit of a file quotes the lines that it replaces. Lines
 * of files that were just read or written, and lines that came more than once, are.
 */

/** Shorter lines (braces, `return nil`) are written anew without being remembered (characters). */
const SHORTEST = 16;

/** Logistic regression; see `scripts/train-weights.ts`. */
const WEIGHTS = {
  bias: -3.55,
  /** Per logarithm of its occurrences. */
  times: 0.65,
  recency: 2.55,
  firstRecency: 1.09,
  /** It was once written by the agent, not only read. */
  written: 1.46,
  prose: 1.3,
  call: -1.93,
  inFile: 1.56,
  /** Of the newest call about its file. */
  fileRecency: 1.36,
  /** Per logarithm of its length. */
  length: -0.3,
} as const;

/** What a line that will certainly be used again is worth, in units of a path. */
const VALUE = 0.13;

interface Use {
  times: number;
  first: number;
  last: number;
  written: boolean;
  prose: boolean;
  call: boolean;
  inFile: boolean;
  fileUse: number;
}

/** Worth of showing a line whole, by its text. */
export function lineReuse({ lines, length }: TranscriptLines): (text: string) => number {
  const fileUses = new Map<string, number>();
  for (const line of lines)
    if (line.file !== "" && (line.kind === "call" || line.kind === "body"))
      fileUses.set(line.file, line.position);
  const uses = new Map<string, Use>();
  for (const line of lines) {
    if (line.text.length < SHORTEST) continue;
    let use = uses.get(line.text);
    if (use === undefined) {
      use = {
        times: 0,
        first: line.position,
        last: 0,
        written: false,
        prose: false,
        call: false,
        inFile: false,
        fileUse: -1,
      };
      uses.set(line.text, use);
    }
    use.times++;
    use.last = line.position;
    use.written ||= line.kind === "body";
    use.prose = line.kind === "user" || line.kind === "assistant";
    use.call = line.kind === "call";
    use.inFile ||= line.file !== "";
    use.fileUse = Math.max(use.fileUse, fileUses.get(line.file) ?? -1);
  }
  const worth = new Map<string, number>();
  return (text) => {
    const known = worth.get(text);
    if (known !== undefined) return known;
    const use = uses.get(text);
    if (use === undefined) return 0;
    const sum =
      WEIGHTS.bias +
      WEIGHTS.times * Math.log(use.times) +
      WEIGHTS.recency * recency(length - use.last) +
      WEIGHTS.firstRecency * recency(length - use.first) +
      WEIGHTS.length * Math.log(text.length / SHORTEST) +
      WEIGHTS.fileRecency * (use.fileUse < 0 ? NEVER : recency(length - use.fileUse)) +
      (use.written ? WEIGHTS.written : 0) +
      (use.prose ? WEIGHTS.prose : 0) +
      (use.call ? WEIGHTS.call : 0) +
      (use.inFile ? WEIGHTS.inFile : 0);
    const value = VALUE / (1 + Math.exp(-sum));
    worth.set(text, value);
    return value;
  };
}
