import type { Line } from "./lines.ts";
import { isPlanted, markPlant } from "./plants.ts";

/**
 * Lines as a summary message quotes them: those that tell the model what to do carry a mark, unless a person or the host
 * wrote them. An instruction that is broken over two lines is found as well.
 */
export function quotedLine(
  /** All lines of the transcript, by their ordinal. */
  lines: readonly Line[],
  textOf: (line: Line) => string,
): (line: Line) => string {
  const known = new Map<number, string>();
  return (line) => {
    const before = known.get(line.order);
    if (before !== undefined) return before;
    const text = textOf(line);
    const quoted = isMarked(line, lines) ? markPlant(text) : text;
    known.set(line.order, quoted);
    return quoted;
  };
}

function isMarked(line: Line, lines: readonly Line[]): boolean {
  if (line.by === "user" || line.by === "system") return false;
  const beside = (order: number): string | undefined =>
    lines[order]?.message === line.message ? lines[order].text : undefined;
  return isPlanted(line.text, beside(line.order - 1), beside(line.order + 1));
}
