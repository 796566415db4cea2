import type { Frame } from "../frames/frames.ts";
import { pointerTo } from "../records/pointers.ts";
import { escapeText } from "../text/escape.ts";
import { SECTION_NAMES, type SectionName, TRUSTED_SECTIONS } from "./section-titles.ts";
import { type SectionEntry, type Sections, sectionEntryText, writeSections } from "./sections.ts";

/** A summary message. */
export interface MadeMessage {
  readonly text: string;
  /** What it quotes, in a message of the user's role. */
  readonly quotes?: string;
  /** What text and quotes take together. */
  readonly tokens: number;
}

/** How a message is counted, and whether what it quotes stands in a second one. */
export interface WriterOptions {
  readonly count: (text: string) => number;
  /**
   * The message goes into the system prompt: then what it quotes from tools, files and answers stands in a message of its
   * own, which this counts whole. `always`: there is one even if it quotes nothing.
   */
  readonly quotesBeside?: { readonly count: (text: string) => number; readonly always: boolean };
  /** The host's own words behind the introduction. */
  readonly preface?: string;
}

/** Puts sections into one message, or into two where the first goes into the system prompt. */
export function messageWriter(
  hidden: Uint8Array,
  { count, quotesBeside, preface }: WriterOptions,
  frame: Frame,
): (sections: Sections) => MadeMessage {
  const run = pointerTo({ from: hidden.indexOf(1), to: hidden.lastIndexOf(1) + 1 });
  const what = frame.introduction.replace("#", run);
  // A message is written several times until it fills its ceiling, and most entries stay as they are.
  const known = new Map<string, string>();
  const entryText = (name: SectionName, entry: SectionEntry): string => {
    const key = `${name} ${entry.head} ${entry.text}`;
    const text = known.get(key) ?? sectionEntryText(name, entry);
    known.set(key, text);
    return text;
  };
  const introduction = preface ? `${what}\n${escapeText(preface)}` : what;
  if (!quotesBeside)
    return (sections) => {
      const text = writeSections(introduction, sections, SECTION_NAMES, frame.titles, entryText);
      return { text, tokens: count(text) };
    };
  const below = SECTION_NAMES.filter((name) => !TRUSTED_SECTIONS.includes(name));
  return (sections) => {
    const text = writeSections(introduction, sections, TRUSTED_SECTIONS, frame.titles, entryText);
    const isQuoted = below.some((name) => (sections[name] ?? []).length > 0);
    if (!isQuoted && !quotesBeside.always) return { text, tokens: count(text) };
    const quotes = writeSections(
      frame.quotations.replace("#", run),
      sections,
      below,
      frame.titles,
      entryText,
    );
    return { text, quotes, tokens: count(text) + quotesBeside.count(quotes) };
  };
}
