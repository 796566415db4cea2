import { HUGE_CHARS } from "../core/collections.ts";
import { editableParts } from "../core/edits.ts";
import { cutBefore } from "../core/first-characters.ts";
import type { Message, Part } from "../core/types.ts";
import { readCall } from "../summaries/calls/read-call.ts";
import type { Speaker } from "../summaries/material/lines.ts";
import { markPlant, plantedLines } from "../summaries/text/plants.ts";
import { typedAndTagged } from "../summaries/text/tagged.ts";
import {
  isSummaryMessage,
  type SectionEntry,
  sectionEntryText,
  sourceName,
} from "../summaries/write/sections.ts";

/** A piece of a message that can be read by itself: what an index finds and a hit shows. */
export interface Passage {
  /** Part of the message, counted without reasoning. */
  readonly part: number;
  /** Characters `from` to `to` of the part, as `partText` gives it. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Whose words they are: decides how far they are trusted. */
  readonly by: Speaker;
  /** Arguments of a call: words of the assistant, but to a tool. */
  readonly isCall?: true;
}

/** Longer texts are cut into several passages, at the end of a line if possible (characters). */
const MAX_PASSAGE = 1_200;
/** Longer lines are cut at a blank in the last quarter, otherwise anywhere. */
const LEAST_CUT = 0.75;

/** The text of a part that can be found and quoted; empty for pictures, reasoning and the like. */
export function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "tool-result":
      return part.text;
    case "tool-call": {
      const { head, left, body } = readCall(part);
      return [head, left, body].filter((text) => text !== "").join("\n");
    }
    case "file":
      return part.text ?? "";
    default:
      return "";
  }
}

/** The passages of a message. `toolOf` names the tool that a call's id belongs to. */
export function passagesOf(
  message: Message,
  toolOf: (id: string) => string | undefined = () => undefined,
): Passage[] {
  return editableParts(message).flatMap((part, place) => {
    const text = partText(part);
    // What precis itself wrote into an earlier view says nothing that isn't said elsewhere.
    if (text === "" || (part.type === "text" && isSummaryMessage(text))) return [];
    return stretches(message, part, text, toolOf).flatMap(({ from, to, by }) =>
      looked(from, to, text.length)
        .flatMap(([start, end]) => cuts(text, start, end))
        .map(([start, end]) => ({
          part: place,
          from: start,
          to: end,
          text: text.slice(start, end),
          by,
          ...(part.type === "tool-call" && { isCall: true }),
        })),
    );
  });
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly by: Speaker;
}

/** A part in stretches of one speaker: a user's message may hold what was pasted or retrieved. */
function stretches(
  { role }: Message,
  part: Part,
  text: string,
  toolOf: (id: string) => string | undefined,
): Stretch[] {
  const all = (by: Speaker): Stretch[] => [{ from: 0, to: text.length, by }];
  if (part.type === "tool-call") return all("assistant");
  if (part.type === "tool-result") return all({ source: sourceName(toolOf(part.id) ?? part.name, "tool") });
  if (part.type === "file") return all({ source: sourceName(part.name, "file") });
  if (role === "tool") return all({ source: "tool" });
  if (role !== "user" || !text.includes("<")) return all(role);
  const found: Stretch[] = [];
  let next = 0;
  for (const { tagged, text: piece } of typedAndTagged(text)) {
    if (!tagged) continue;
    const from = text.indexOf(piece, next);
    if (from > next) found.push({ from: next, to: from, by: "user" });
    next = from + piece.length;
    found.push({ from, to: next, by: { source: "pasted" } });
  }
  if (next < text.length) found.push({ from: next, to: text.length, by: "user" });
  return found;
}

/**
 * What is looked at of the characters `from` to `to` of a text: of a huge one only the beginning and the end. An index of tens of
 * megabytes would take seconds to make and hundreds of megabytes to keep. What stands between them is read by its place.
 */
function looked(from: number, to: number, length: number): readonly (readonly [number, number])[] {
  if (length <= HUGE_CHARS) return [[from, to]];
  const half = HUGE_CHARS / 2;
  const ends = [
    [from, Math.min(to, half)],
    [Math.max(from, length - half), to],
  ] as const;
  return ends.filter(([start, end]) => start < end);
}

/** Where a stretch is cut into pieces of at most `MAX_PASSAGE` characters. Pieces without a word are left out. */
function cuts(text: string, from: number, to: number): [number, number][] {
  const pieces: [number, number][] = [];
  let start = from;
  while (start < to) {
    const end = to - start <= MAX_PASSAGE ? to : cutPoint(text, start, start + MAX_PASSAGE);
    if (text.slice(start, end).trim() !== "") pieces.push([start, end]);
    start = end;
  }
  return pieces;
}

function cutPoint(text: string, from: number, most: number): number {
  // Within the piece: in a text without lines a search would go back to its beginning for every piece.
  const piece = text.slice(from, most);
  const line = piece.lastIndexOf("\n");
  if (line > 0) return from + line + 1;
  const blank = piece.lastIndexOf(" ");
  if (blank > piece.length * LEAST_CUT) return from + blank + 1;
  return cutBefore(text, most);
}

/**
 * Recalled text is data, whoever reads it: it says which message it is of and whose words they are, it can't look like
 * structure of ours, and a line that tells the model what to do is marked, unless a person or the host wrote it.
 */
export function quoteEntry(
  index: number,
  passage: Pick<Passage, "text" | "by">,
  /** The message that changed the file which it is about: what it says may no longer hold. */
  changedIn?: number,
): SectionEntry {
  const { by } = passage;
  const isTrusted = by === "user" || by === "system";
  const text = passage.text.trim();
  const pointer = `#${index + 1}`;
  const note = changedIn === undefined ? "" : `(older: the file was changed in #${changedIn + 1}) `;
  return {
    head:
      by === "assistant"
        ? pointer
        : typeof by === "string"
          ? `${pointer} ${by}:`
          : `${pointer} ${by.source}»`,
    text: `${note}${isTrusted ? text : withMarkedPlants(text)}`,
  };
}

/** A quotation as it is read: `#13 fetch» …`. */
export function quoteText(entry: SectionEntry): string {
  return sectionEntryText("lines", entry);
}

/** Marks lines that tell the model what to do. */
function withMarkedPlants(text: string): string {
  const lines = text.split("\n");
  const planted = plantedLines(lines);
  return planted.size === 0
    ? text
    : lines.map((line) => (planted.has(line) ? markPlant(line) : line)).join("\n");
}
