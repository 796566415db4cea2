import { type Fate, isShown } from "../core/draft.ts";
import { editableParts } from "../core/edits.ts";
import type { Entry, Message } from "../core/types.ts";
import type { CandidateSet } from "./candidates.ts";
import { piecesOf, type Stretch } from "./excerpt.ts";
import { type Passage, partText } from "./passages.ts";
import { termsOf } from "./terms.ts";

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
