import type { Line, TranscriptLines } from "./lines.ts";
import { NEVER, recency } from "./recency.ts";
import { likelihood } from "./weights.ts";

/**
 * How likely a line is to be used again letter for letter: the next edit of a file quotes the lines that it replaces. Lines
 * of files that were just read or written, and lines that came more than once, are.
 */

/** Shorter lines (braces, `return nil`) are written anew without being remembered (characters). */
export const SHORTEST_REUSED = 16;

/** Signs that a line will be used again, each with its weight in a logistic regression (see `scripts/train-weights.ts`). */
export const REUSE_WEIGHTS = {
  bias: -2.85,
  /** Logarithm of its occurrences. */
  times: 0.55,
  recency: 2.5,
  firstRecency: 1.6,
  /** It was once written by the agent, not only read. */
  written: 1.15,
  prose: 0.5,
  call: -2.15,
  inFile: 0.65,
  /** Of the newest call about its file. */
  fileRecency: 0.6,
  /** Logarithm of its length. */
  length: -0.35,
};

export type ReuseFeatures = Record<keyof typeof REUSE_WEIGHTS, number>;

/** What a line that will certainly be used again is worth, in units of a path. */
const VALUE = 0.15;

/** Worth of showing a line whole. */
export function lineReuse(transcript: TranscriptLines): (line: Line) => number {
  const featuresOf = reuseFeatures(transcript);
  const worth = new Float64Array(transcript.lines.length).fill(-1);
  return (line) => {
    const known = worth[line.first]!;
    if (known >= 0) return known;
    const features = featuresOf(line);
    const value = features === undefined ? 0 : VALUE * likelihood(features, REUSE_WEIGHTS);
    worth[line.first] = value;
    return value;
  };
}

interface Use {
  times: number;
  readonly first: number;
  last: Line;
  written: boolean;
  inFile: boolean;
  /** Position of the newest call about one of its files. */
  fileUse: number;
}

/** Reads the signs of every line from the transcript; undefined for a line that is too short. */
export function reuseFeatures({ lines, length }: TranscriptLines): (line: Line) => ReuseFeatures | undefined {
  const fileUses = new Map<string, number>();
  for (const { file, kind, position } of lines)
    if (file !== "" && (kind === "call" || kind === "body")) fileUses.set(file, position);
  const uses: (Use | undefined)[] = new Array(lines.length);
  for (const line of lines) {
    if (line.text.length < SHORTEST_REUSED) continue;
    let use = uses[line.first];
    if (use === undefined) {
      use = { times: 0, first: line.position, last: line, written: false, inFile: false, fileUse: -1 };
      uses[line.first] = use;
    }
    use.times++;
    use.last = line;
    use.written ||= line.kind === "body";
    use.inFile ||= line.file !== "";
    use.fileUse = Math.max(use.fileUse, fileUses.get(line.file) ?? -1);
  }
  return ({ first, text }) => {
    const use = uses[first];
    if (use === undefined) return undefined;
    const { kind, position } = use.last;
    return {
      bias: 1,
      times: Math.log(use.times),
      recency: recency(length - position),
      firstRecency: recency(length - use.first),
      written: use.written ? 1 : 0,
      prose: kind === "user" || kind === "assistant" ? 1 : 0,
      call: kind === "call" ? 1 : 0,
      inFile: use.inFile ? 1 : 0,
      fileRecency: use.fileUse < 0 ? NEVER : recency(length - use.fileUse),
      length: Math.log(text.length / SHORTEST_REUSED),
    };
  };
}
