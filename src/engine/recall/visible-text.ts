import { type Draft, isShown } from "../../core/draft.ts";
import { editableParts } from "../../core/edits.ts";
import type { Message } from "../../core/types.ts";
import { type Passage, partText } from "../../recall/passages.ts";

/** Shorter pieces stand somewhere by chance (characters). */
const LEAST_PIECE = 12;
const PIECE = /[^\n.!?。！？]+[.!?。！？]*\n?|[.!?。！？\n]+/g;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What of a hidden message a view shows elsewhere: in its summary, in what it quotes, or because only a part was cut. */
export interface Visible {
  /** Characters `from` to `to` of a passage that the view doesn't show, longest first. */
  unseen(message: number, passage: Passage): readonly Stretch[];
}

export function visibleText(draft: Draft, messages: readonly Message[], quoted: readonly string[]): Visible {
  const written = [...draft.inserts.map(({ message }) => message.text), ...appended(draft), ...quoted];
  const everywhere = plain(written.join("\n"));
  return {
    unseen(message, passage) {
      const fate = draft.fates[message]!;
      if (fate.type === "keep") return [];
      const own = isShown(fate) ? shownPart(draft, messages, message, passage.part) : "";
      if (own === undefined) return [];
      const text = own === "" ? everywhere : `${everywhere}\n${plain(own)}`;
      const runs: { from: number; to: number }[] = [];
      for (const match of passage.text.matchAll(PIECE)) {
        const piece = plain(match[0]).trim();
        const [from, to] = [match.index, match.index + match[0].length];
        const isSeen = piece.length >= LEAST_PIECE && text.includes(piece);
        const last = runs.at(-1);
        if (isSeen) continue;
        if (last?.to === from) last.to = to;
        else if (piece !== "") runs.push({ from, to });
      }
      return runs.sort((a, b) => b.to - b.from - (a.to - a.from));
    },
  };
}

/** What is shown of a part that was shortened; undefined if all of it is shown. */
function shownPart(
  { fates }: Draft,
  messages: readonly Message[],
  message: number,
  part: number,
): string | undefined {
  const fate = fates[message]!;
  if (fate.type !== "edit") return "";
  const edit = fate.edits.find((one) => one.type === "replace" && one.part === part);
  if (edit?.type !== "replace") return undefined;
  const original = editableParts(messages[message]!)[part];
  return original?.type === "tool-call" ? partText({ ...original, args: edit.text }) : edit.text;
}

function appended({ fates }: Draft): string[] {
  return fates.flatMap((fate) =>
    fate.type === "edit" ? fate.edits.flatMap((edit) => (edit.type === "append" ? [edit.text] : [])) : [],
  );
}

/** Without what quoting changes: line breaks, indentation, and signs that keep a text from looking like ours. */
function plain(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replace(/(^|\n)[^\S\n]*\\/g, "$1")
    .replace(/\s+/g, " ");
}
