import { onceFor } from "../../core/collections.ts";
import type { Message } from "../../core/types.ts";
import { abridged } from "../material/abridge.ts";
import type { SectionEntry } from "../write/sections.ts";
import { type CitationRegistry, citationRegistry, citationsIn, type Source } from "./citations.ts";

/** Citations of one conversation, for the texts that a summary message shows. */
export interface CitedSources
  extends Pick<CitationRegistry, "inText" | "inPassage" | "inRecord" | "without"> {
  /** Does a text of message `index` cite a source that the transcript names? */
  cites(text: string, index: number): boolean;
  /** Entries `[3] source` for every citation in visible messages and in the given texts whose source nothing shows yet. */
  ledger(texts: readonly { readonly text: string; readonly message: number }[]): SectionEntry[];
}

/** Reads the citations of a transcript. Costs next to nothing where nobody cites. */
export function citedSources(
  messages: readonly Message[],
  /** The text that the view shows of message `index` elsewhere; undefined: none. */
  shownOf: (index: number) => string | undefined,
): CitedSources {
  const registry = citationRegistry(messages);
  const { inText, inPassage, inRecord, without, resolve } = registry;
  const shown = messages.map((_, index) => shownOf(index));
  const isNamed = ({ key }: Source): boolean => shown.some((text) => text?.includes(key) === true);

  /** Needed by visible messages, whatever the summary message shows: newest first. */
  const always = new Map<string, SectionEntry>();
  const needed = new Map<string, Source>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const text = shown[index];
    if (text === undefined || messages[index]?.role === "system") continue;
    for (const citation of citationsIn(text)) {
      const source = resolve(index, citation);
      if (source === undefined || isNamed(source)) continue;
      if (!registry.isOwn || source.number === citation) needed.set(source.key, source);
      // It goes on calling its source by a number of its own.
      else
        always.set(`${citation} ${source.key}`, {
          head: `[${citation}]`,
          text: `(in #${index + 1}) ${source.label}`,
        });
    }
  }
  return {
    inText,
    inPassage,
    inRecord,
    without,
    cites: (text, index) => citationsIn(text).some((citation) => resolve(index, citation) !== undefined),
    ledger(texts) {
      const sources = new Map(needed);
      for (const { text, message } of texts)
        for (const citation of citationsIn(text)) {
          const source = resolve(message, citation);
          if (source !== undefined && !sources.has(source.key) && (source.renumbered || !isNamed(source)))
            sources.set(source.key, source);
        }
      const joined = texts.map(({ text }) => text).join("\n");
      const entries = [...sources.values()]
        // A line that names it behind its number is quoted with the number that it has here.
        .filter(({ key, renumbered }) => !joined.includes(renumbered ? `] ${key}` : key))
        .map(({ number, label }) => ({ head: `[${number}]`, text: label }));
      return [...entries, ...always.values()].sort((a, b) => numberIn(a) - numberIn(b));
    },
  };
}

/**
 * The messages as a model reads them for a record: their longest texts abridged, and the numbers of their sources those of the
 * registry, because a record can't say which of several `[1]` it means. The very same list where the host's numbers stand.
 */
export const readForRecord = onceFor((messages: readonly Message[]): readonly Message[] => {
  const list = abridged(messages);
  const { isOwn, inText, inPassage } = citationRegistry(list);
  if (!isOwn) return list;
  return list.map((message, index) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (part.type === "tool-result") return { ...part, text: inPassage(part.text, index) };
      return part.type === "text" ? { ...part, text: inText(part.text, index) } : part;
    }),
  }));
});

const numberIn = ({ head }: SectionEntry): number => Number(head.replace(/[[\]^]/g, ""));
