import { type Fate, isShown } from "../core/draft.ts";
import { editableParts } from "../core/edits.ts";
import type { Entry, Message } from "../core/types.ts";
import type { CandidateSet } from "./candidates.ts";
import { type Passage, partText } from "./passages.ts";
import { termsOf, wantedTerms } from "./terms.ts";

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

/** Shorter pieces stand somewhere by chance (characters). */
const LEAST_PIECE = 12;
/** The same for what is left of a line without its label, and for what other messages say. */
const LEAST_BARE = 24;
/** So many passages are looked at for a line that other messages may show; the newest first. */
const MOST_LOOKED_AT = 32;

/** What of a message a view shows elsewhere: in its summary, in what it quotes, in another message, or because only a part was cut. */
export interface Visible {
  /** Characters `from` to `to` of a passage that the view doesn't show, longest first. */
  unseen(message: number, passage: Passage): readonly Stretch[];
  /** Is nothing of a message shown in its place? */
  isHidden(message: number): boolean;
  /** Counts a text as shown from now on. */
  show(text: string): void;
}

/** A view, as far as it matters what can be read in it. */
export interface ShownView {
  readonly fates: readonly (Fate | undefined)[];
  /** What precis wrote into it, and anything else that no index holds. */
  readonly written: readonly string[];
}

/** What can be read in a view: its entries, and what stands beside them. */
export function shownBy(entries: readonly Entry[], beside: readonly string[] = []): ShownView {
  const fates: Fate[] = [];
  const written = [...beside];
  for (const entry of entries) {
    if (entry.type === "insert") {
      written.push(entry.message.text);
      for (const { from, to } of entry.covers) for (let at = from; at < to; at++) fates[at] = HIDDEN;
      continue;
    }
    fates[entry.index] = entry;
    if (entry.type === "edit")
      for (const edit of entry.edits) if (edit.type === "append") written.push(edit.text);
  }
  return { fates, written };
}

const HIDDEN: Fate = { type: "cover", by: 0 };

/** What of passages a view shows. Lines that other messages show are found by the index, whose first message is message `start`. */
export function visibleText(
  { fates, written }: ShownView,
  messages: readonly Message[],
  index: Pick<CandidateSet, "messages" | "passages" | "occurrences">,
  start: number,
): Visible {
  let everywhere = plain(written.join("\n"));
  const textOf = new Map<number, string>();
  /** What is shown of a passage of the index, by its place. */
  const shownText = (place: number): string => {
    const known = textOf.get(place);
    if (known !== undefined) return known;
    const passage = index.passages[place]!;
    const message = start + index.messages[passage.of]!.index;
    const fate = fates[message]!;
    const text = isShown(fate)
      ? plain(shownPart(fate, messages[message]!, passage.part) ?? passage.text)
      : "";
    textOf.set(place, text);
    return text;
  };
  const isElsewhere = (line: string): boolean => {
    let fewest: readonly number[] | undefined;
    for (const term of new Set(termsOf(line))) {
      const { passages } = index.occurrences(term) ?? { passages: [] };
      if (!fewest || passages.length < fewest.length) fewest = passages;
    }
    return (fewest ?? []).slice(-MOST_LOOKED_AT).some((place) => shownText(place).includes(line));
  };
  const isSeen = (piece: string, own: string): boolean => {
    const bare = withoutLabel(piece);
    if (piece.length >= LEAST_PIECE && (everywhere.includes(piece) || own.includes(piece))) return true;
    if (bare.length < LEAST_BARE) return false;
    return everywhere.includes(bare) || own.includes(bare) || isElsewhere(bare);
  };
  return {
    show(text) {
      everywhere += `\n${plain(text)}`;
    },
    isHidden: (message) => fates[message] !== undefined && !isShown(fates[message]),
    unseen(message, passage) {
      const fate = fates[message];
      if (!fate || fate.type === "keep") return [];
      const shown = isShown(fate) ? shownPart(fate, messages[message]!, passage.part) : "";
      if (shown === undefined) return [];
      const own = plain(shown);
      const runs: { from: number; to: number }[] = [];
      let wasSeen = false;
      for (const { from, to } of piecesOf(passage.text)) {
        const piece = plain(passage.text.slice(from, to)).trim();
        // A few letters beside what is shown aren't worth a quotation.
        wasSeen = isSeen(piece, own) || (wasSeen && piece.length < LEAST_PIECE);
        if (wasSeen) continue;
        const last = runs.at(-1);
        if (last?.to === from) last.to = to;
        else if (piece !== "") runs.push({ from, to });
      }
      return runs.sort((a, b) => b.to - b.from - (a.to - a.from));
    },
  };
}

/** What is shown of a part that was shortened; undefined if all of it is shown. */
function shownPart(fate: Fate, message: Message, part: number): string | undefined {
  if (fate.type !== "edit") return undefined;
  const edit = fate.edits.find((one) => one.type === "replace" && one.part === part);
  if (edit?.type !== "replace") return undefined;
  const original = editableParts(message)[part];
  return original?.type === "tool-call" ? partText({ ...original, args: edit.text }) : edit.text;
}

/** Without what quoting changes: line breaks, indentation, and signs that keep a text from looking like ours. */
function plain(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replace(/(^|\n)[^\S\n]*\\/g, "$1")
    .replace(/\s+/g, " ");
}

/** `[2:15 pm] Anna: `, `12→`, `src/a.ts:12: `, `- `, `3. `, `## `: who said a line, or where it stood. */
const LABEL =
  /^(?:\[[^\]]{0,80}\] ?)?(?:\p{Lu}\p{L}{1,30}: |(?:[\p{L}\p{N}_./@-]{1,200}:)?\d{1,7}(?::\d{1,5})?(?:[:→|]|-(?= )) ?|\d{1,7} |[-*•>+|] |#{1,6} |\d{1,3}[.)] )?/u;

/** A line in which labels and numbers don't count: a summary leaves them out. */
function withoutLabel(piece: string): string {
  return piece.replace(LABEL, "");
}
