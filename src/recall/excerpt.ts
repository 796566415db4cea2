import { wantedTerms } from "./terms.ts";

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

/** Stands where something was left out. */
const GAP = "…";

/**
 * The stretch of a text that fits into an allowance and holds as much as possible of what is asked for, in whole sentences
 * or lines. Undefined if not even one of them fits.
 */
export function bestStretch(
  text: string,
  terms: ReadonlySet<string>,
  fits: (text: string) => boolean,
): Stretch | undefined {
  if (fits(text)) return { from: 0, to: text.length };
  const pieces = piecesOf(text).map(({ from, to }) => ({
    from,
    to,
    found: wantedTerms(text.slice(from, to), terms).length,
  }));
  const order = [...pieces.keys()].sort((a, b) => pieces[b]!.found - pieces[a]!.found || a - b);
  const first = order.find((at) => fits(shown(text, pieces[at]!)));
  if (first === undefined) return undefined;
  let [low, high] = [first, first];
  let stretch: Stretch = pieces[first]!;
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const [from, to] of [
      [low, high + 1],
      [low - 1, high],
    ] as const) {
      if (from < 0 || to >= pieces.length) continue;
      const wider = { from: pieces[from]!.from, to: pieces[to]!.to };
      if (!fits(shown(text, wider))) continue;
      [low, high, stretch] = [from, to, wider];
      isGrowing = true;
      break;
    }
  }
  return stretch;
}

/** The stretch with the most words that are asked for; of several, the first. */
export function stretchWithMost(
  text: string,
  stretches: readonly Stretch[],
  terms: ReadonlySet<string>,
): Stretch | undefined {
  let best: { readonly stretch: Stretch; readonly words: number } | undefined;
  for (const stretch of stretches) {
    if (best && terms.size === 0) break;
    const words = wantedTerms(text.slice(stretch.from, stretch.to), terms).length;
    if (!best || words > best.words) best = { stretch, words };
  }
  return best?.stretch;
}

/** A stretch as it is read, with a sign where the text goes on. */
export function shown(text: string, { from, to }: Stretch): string {
  const before = text.slice(0, from).trim() === "" ? "" : `${GAP} `;
  const after = text.slice(to).trim() === "" ? "" : ` ${GAP}`;
  return `${before}${text.slice(from, to).trim()}${after}`;
}
