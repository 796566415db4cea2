import type { Run } from "../core/types.ts";
import type { SectionEntry } from "./sections.ts";

/** Model-written summaries come within their own share; more than this would leave no room for anything else. */
const NARRATIVE_SHARE = 0.6;

/** Segment summaries, oldest first, each with the messages that it stands for. Too many: the newest that fit. */
export function renderNarrative(
  narrative: readonly { readonly text: string; readonly covers: Run }[],
  cap: number,
  count: (text: string) => number,
): SectionEntry[] {
  const kept: SectionEntry[] = [];
  let left = cap * NARRATIVE_SHARE;
  for (const { text, covers } of [...narrative].reverse()) {
    const entry = { head: `#${covers.from + 1}–${covers.to}:`, text: text.trim() };
    left -= count(`${entry.head} ${entry.text}`) + 1;
    if (left < 0) break;
    kept.unshift(entry);
  }
  return kept;
}
