/**
 * Where a sentence or a line ends. A full stop within a name (`explain.go`, `v1.2`) or behind the number of a list ends nothing, and one behind
 * others isn't tried again: a row of a million of them is read once.
 */
const END = /(?<![.!?])(?<!(?:^|\s)\d{1,3})[.!?]+["'”’)\]*_`]*(?=\s|$)|[。！？]+|\n+/g;

/** Where a piece of a text stands. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A text in whole sentences and lines. Talk has few line breaks, so the sentences of a line are told apart. */
export function piecesOf(text: string): Stretch[] {
  const pieces: Stretch[] = [];
  let from = 0;
  for (const match of text.matchAll(END)) {
    let to = match.index + match[0].length;
    // The line break behind a sentence belongs to it.
    if (text[to] === "\n") to++;
    if (to <= from) continue;
    pieces.push({ from, to });
    from = to;
  }
  if (from < text.length) pieces.push({ from, to: text.length });
  return pieces;
}
