import type { Message } from "../core/types.ts";
import { type CitationRegistry, citationRegistry, citationsIn, renumber, type Source } from "./citations.ts";
import type { SectionEntry } from "./sections.ts";

/** Citations of one conversation, for the texts that a summary message shows. */
export interface CitedSources {
  /** Does a text of message `index` cite a source that the transcript names? */
  cites(text: string, index: number): boolean;
  /** A text of message `index` with numbers that mean the same everywhere in the summary message. */
  inRegistryNumbers(text: string, index: number): string;
  /** Entries `[3] source` for every citation in visible messages and in the given texts whose source nothing shows yet. */
  ledger(texts: readonly { readonly text: string; readonly message: number }[]): SectionEntry[];
}

const NONE: CitedSources = { cites: () => false, inRegistryNumbers: (text) => text, ledger: () => [] };

/** Reads the citations of a transcript. Costs next to nothing where nobody cites. */
export function citedSources(
  messages: readonly Message[],
  /** The text that the view shows of message `index` elsewhere; undefined: none. */
  shownOf: (index: number) => string | undefined,
): CitedSources {
  const cites = messages.some((message) =>
    message.parts.some(
      (part) => part.type === "text" && message.role !== "system" && citationsIn(part.text).length > 0,
    ),
  );
  if (!cites) return NONE;
  const shown = messages.map((_, index) => shownOf(index));
  const registry: CitationRegistry = citationRegistry(messages, (index) => shown[index] !== undefined);
  const isShown = ({ key, renumbered }: Source): boolean =>
    !renumbered && shown.some((text) => text?.includes(key) === true);

  /** Needed by visible messages, whatever the summary message shows: newest first. */
  const always = new Map<string, Source>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const text = shown[index];
    if (text === undefined || messages[index]?.role === "system") continue;
    for (const citation of citationsIn(text)) {
      const source = registry.resolve(index, citation);
      if (source !== undefined && !always.has(source.key) && !isShown(source)) always.set(source.key, source);
    }
  }
  return {
    cites: (text, index) =>
      citationsIn(text).some((citation) => registry.resolve(index, citation) !== undefined),
    inRegistryNumbers: (text, index) => renumber(text, index, registry),
    ledger(texts) {
      const needed = new Map(always);
      for (const { text, message } of texts) {
        for (const citation of citationsIn(text)) {
          const source = registry.resolve(message, citation);
          if (source !== undefined && !needed.has(source.key) && !isShown(source))
            needed.set(source.key, source);
        }
      }
      const joined = texts.map(({ text }) => text).join("\n");
      return [...needed.values()]
        .filter(({ key, renumbered }) => renumbered || !joined.includes(key))
        .sort((a, b) => Number(a.number.replace("^", "")) - Number(b.number.replace("^", "")))
        .map(({ number, label }) => ({ head: `[${number}]`, text: label }));
    },
  };
}
