import { isPlanted, markPlant, plantIn } from "../summaries/text/plants.ts";
import { type SectionEntry, sectionEntryText } from "../summaries/write/sections.ts";
import type { Passage } from "./passages.ts";

/**
 * Recalled text is data, whoever reads it: it says which message it is of and whose words they are, it can't look like
 * structure of ours, and a line that tells the model what to do is marked, unless a person or the host wrote it.
 */
export function quoteEntry(index: number, passage: Pick<Passage, "text" | "by">, note = ""): SectionEntry {
  const { by } = passage;
  const isTrusted = by === "user" || by === "system";
  const text = passage.text.trim();
  const pointer = `#${index + 1}`;
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

/** Marks lines that tell the model what to do, also if the instruction is broken over two of them. */
function withMarkedPlants(text: string): string {
  // Nearly every text has none, and one look at all of it says so.
  if (plantIn(text) === undefined && plantIn(text.replaceAll("\n", " ")) === undefined) return text;
  const lines = text.split("\n");
  return lines
    .map((line, at) => (isPlanted(line, lines[at - 1], lines[at + 1]) ? markPlant(line) : line))
    .join("\n");
}
