import type { Line, TranscriptLines } from "./lines.ts";

/** What the working set is chosen from, and what needn't be shown because it is shown elsewhere. */
export interface Candidates {
  readonly lines: Line[];
  /** 1 for each term that the view shows elsewhere. */
  readonly covered: Uint8Array;
  /** For each term the ordinal of the last candidate that has it. */
  readonly lastLine: Int32Array;
}

/** Lines of hidden messages, and lines that shortened messages no longer show. */
export function candidateLines(
  transcript: TranscriptLines,
  isHidden: (index: number) => boolean,
  isVisible: (index: number) => boolean,
  shownText: (index: number) => string | undefined,
): Candidates {
  const size = transcript.table.terms.length;
  const covered = new Uint8Array(size);
  const lastLine = new Int32Array(size).fill(-1);
  const lines: Line[] = [];
  let current = -1;
  let state: "hidden" | "visible" | "neither" = "neither";
  let shown: string | undefined;
  for (const line of transcript.lines) {
    if (line.message !== current) {
      current = line.message;
      state = isHidden(current) ? "hidden" : isVisible(current) ? "visible" : "neither";
      shown = state === "visible" ? shownText(current) : undefined;
    }
    if (state === "neither") continue;
    if (state === "hidden" || (shown !== undefined && !shown.includes(line.text))) {
      if (line.spent) continue;
      lines.push(line);
      for (const term of line.terms) lastLine[term] = line.order;
    } else for (const term of line.terms) covered[term] = 1;
  }
  return { lines, covered, lastLine };
}
