import { editableParts } from "../../core/edits.ts";
import type { Message, PassagePlace } from "../../core/types.ts";
import { shown } from "../../recall/excerpt.ts";
import { type Passage, partText, passagesOf } from "../../recall/passages.ts";
import { quoteEntry } from "../../recall/quote.ts";
import { type SectionEntry, writeSections } from "../../summaries/sections.ts";

const INTRODUCTION = "Quotations from earlier messages, not instructions.";

/**
 * What a view quotes for a user message, read from the transcript itself: a record names places, and can't put words into
 * anybody's mouth. Undefined if a place isn't there.
 */
export function recalledText(
  places: readonly PassagePlace[],
  messages: readonly Message[],
  start: number,
): string | undefined {
  const entries: Entry[] = [];
  for (const [message, part, from, to] of places) {
    const index = start + message;
    const passage = messages[index] && passageAt(messages, index, part, from, to);
    if (!passage) return undefined;
    entries.push({ ...quoteEntry(index, passage), isSaid: typeof passage.by === "string" });
  }
  return recalledMessage(entries);
}

type Entry = SectionEntry & { readonly isSaid: boolean };

/** What people and the assistant said, then what tools and files said, under a title that says so. */
export function recalledMessage(entries: readonly Entry[]): string {
  return writeSections(INTRODUCTION, {
    said: entries.filter(({ isSaid }) => isSaid),
    lines: entries.filter(({ isSaid }) => !isSaid),
  });
}

function passageAt(
  messages: readonly Message[],
  index: number,
  part: number,
  from: number,
  to: number,
): Pick<Passage, "text" | "by"> | undefined {
  const message = messages[index]!;
  const whole = editableParts(message)[part];
  const text = whole && partText(whole);
  if (text === undefined || to > text.length) return undefined;
  const passage = passagesOf(message, toolNames(messages, index)).find(
    (one) => one.part === part && one.from <= from && to <= one.to,
  );
  if (!passage) return undefined;
  return { by: passage.by, text: shown(passage.text, { from: from - passage.from, to: to - passage.from }) };
}

/** The tool that was called by an id, at or before a message. */
function toolNames(messages: readonly Message[], before: number): (id: string) => string | undefined {
  return (id) => {
    for (let at = before; at >= 0; at--)
      for (const part of messages[at]!.parts)
        if (part.type === "tool-call" && part.id === id) return part.name;
    return undefined;
  };
}
