import { addTo, onceFor } from "../../core/collections.ts";
import type { Message } from "../../core/types.ts";
import { abridged } from "../material/abridge.ts";
import { typedText } from "../material/user-words.ts";
import type { SectionEntry } from "../write/sections.ts";
import { CITATION } from "./citation-form.ts";
import { definedSources, LISTED_NUMBER, type NumberedSource } from "./defined-sources.ts";

/**
 * The citation registry of a conversation: one number per source, and the same one for good. Most hosts count their sources
 * anew in every turn, so that `[1]` means another document each time; what we write puts lines of several turns side by side.
 * Where no two sources that were cited share a number, the host's numbers stand.
 */
export interface CitationRegistry {
  /** Does the host count anew? Then our texts have numbers of their own, which no kept message uses for another source. */
  readonly isOwn: boolean;
  /** Every source that was cited, in the order of the conversation, with the message that names it first. */
  sources(): readonly (NumberedSource & { readonly index: number })[];
  /** The source that a citation in message `index` points at. */
  resolve(index: number, citation: string): Source | undefined;
  /** A text of message `index` with its citations in the numbers of the registry. */
  inText(text: string, index: number): string;
  /** The same for what a tool or a document says: only where a line begins with the number of a source. */
  inPassage(text: string, index: number): string;
  /** The same for a record of the messages before `to`. Numbers that nobody gave are left out. */
  inRecord(text: string, to: number): string;
  /** A text of ours without the numbers of sources, where there is no room for the sources. */
  without(text: string): string;
}

/** A document that answers cite. */
interface Source {
  /** Its number in this conversation, as it is written between brackets: `3`, `^4`. */
  readonly number: string;
  /** What it is found by: a document id, an address, a file. */
  readonly key: string;
  /** What the ledger shows: the key, and a title if there is one. */
  readonly label: string;
  /** The place where the transcript names it says another number. */
  readonly renumbered: boolean;
}

/** Code cites nothing: `rows[3]`. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
/** Code, or a citation with the blank before it, which leaves with it. */
const CODE_OR_CITATION = new RegExp(`${CODE.source}|([ \\t]?)(?:${CITATION.source})`, "g");
/** Longer "ranges" are sizes or line numbers. */
const MAX_RANGE = 30;

/** The numbers of one match of `CITATION`: `[1, 3–5]` → 1, 3, 4, 5; a footnote keeps its caret. */
function citedNumbers(match: RegExpMatchArray): string[] {
  const [, caret = "", list, bracketed] = match;
  if (bracketed !== undefined) return [bracketed];
  const numbers: string[] = [];
  for (const item of (list ?? "").split(/[,;]/)) {
    const [from = Number.NaN, to] = item.split(/[–-]/).map((text) => Number(text.replace(/[\s^]/g, "")));
    const last = to !== undefined && to > from && to - from <= MAX_RANGE ? to : from;
    for (let number = from; number <= last; number++) numbers.push(`${caret}${number}`);
    if (to !== undefined && last === from) numbers.push(`${caret}${to}`);
  }
  return numbers;
}

/** Where the transcript names a source with a number. */
interface Definition extends Omit<NumberedSource, "number"> {
  readonly index: number;
}

/** Numbers of our own begin here: hosts that count anew in every turn never come so far. */
const FIRST_OWN = 101;
const LAST_OWN = 999;

/** Reads every source that the transcript names with a number. A longer transcript never changes the number of a source. */
export const citationRegistry = onceFor(readCitations);

function readCitations(messages: readonly Message[]): CitationRegistry {
  const cited = messages.map(citedBy);
  if (cited.every((numbers) => numbers.length === 0)) return NONE;
  const definitions = new Map<string, Definition[]>();
  /** By its key, the number that a source was first cited by, and the one that we give it. */
  const hostNumber = new Map<string, string>();
  const ownNumber = new Map<string, string>();
  const firstOf = new Map<string, Definition>();
  const sourceOf = new Map<string, Definition>();
  const keyOf = new Map<string, string>();
  let next = FIRST_OWN;
  let clash = Number.POSITIVE_INFINITY;
  let answered = -1;

  const listFor = (number: string) => definitions.get(number) ?? definitions.get(plain(number));
  const definitionAt = (index: number, number: string) =>
    listFor(number)?.findLast((definition) => definition.index <= index);

  messages.forEach((message, index) => {
    const isAnswer = message.role === "assistant";
    for (const part of message.parts)
      for (const { number, ...source } of definedSources(part)) {
        const newest = listFor(number)?.at(-1);
        // The first one counts: a passage may end with references of its own.
        if (newest?.index === index) continue;
        // An answer that ends with a list of its sources names again what it was given.
        if (isAnswer && newest && (newest.index > answered || isAlike(newest.key, source.key))) continue;
        addTo(definitions, number, { index, ...source });
      }
    for (const number of cited[index]!) {
      const source = definitionAt(index, number);
      if (source === undefined) continue;
      const { key } = source;
      if ((keyOf.get(plain(number)) ?? key) !== key) clash = Math.min(clash, index);
      keyOf.set(plain(number), key);
      if (hostNumber.has(key)) continue;
      hostNumber.set(key, number);
      firstOf.set(key, source);
      while (definitions.has(String(next))) next++;
      if (next > LAST_OWN) continue;
      ownNumber.set(key, String(next));
      sourceOf.set(String(next++), source);
    }
    if (isAnswer && cited[index]!.length > 0) answered = index;
  });
  if (definitions.size === 0) return NONE;

  const isOwn = clash < messages.length;
  const resolve = (index: number, citation: string): Source | undefined => {
    const definition =
      definitionAt(index, citation) ?? (isOwn ? sourceOf.get(citation) : undefined) ?? listFor(citation)?.[0];
    if (definition === undefined) return undefined;
    const { key, label } = definition;
    const number = isOwn ? ownNumber.get(key) : (hostNumber.get(key) ?? citation);
    return number === undefined
      ? undefined
      : { number, key, label, renumbered: isOwn || number !== citation };
  };
  const inText = (text: string, index: number) =>
    withNumbers(text, (number) => {
      const source = resolve(index, number);
      // A source that nobody cites needs no number; what names no source stays as it is.
      return source?.number ?? (isOwn && listFor(number) !== undefined ? undefined : number);
    });
  return {
    isOwn,
    sources: () =>
      [...firstOf.values()].flatMap((source) => {
        const number = (isOwn ? ownNumber : hostNumber).get(source.key);
        return number === undefined ? [] : [{ number, ...source }];
      }),
    resolve,
    inText,
    inPassage: (text, index) =>
      text.replace(LISTED_NUMBER, (_, lead: string, number: string, blank: string) => {
        const shown = inText(number, index);
        return shown === "" ? lead : `${lead}${shown}${blank}`;
      }),
    inRecord: (text, to) =>
      isOwn
        ? withNumbers(text, (number) => {
            if (sourceOf.has(number)) return number;
            // It may have been written before the host began to count anew.
            const source = clash < to ? undefined : definitionAt(to - 1, number);
            return source && ownNumber.get(source.key);
          })
        : inText(text, to - 1),
    without: (text) =>
      withNumbers(text, (number) => (sourceOf.has(number) || listFor(number) ? undefined : number)),
  };
}

const unchanged = (text: string): string => text;
const NONE: CitationRegistry = {
  isOwn: false,
  sources: () => [],
  resolve: () => undefined,
  inText: unchanged,
  inPassage: unchanged,
  inRecord: unchanged,
  without: unchanged,
};

/** A footnote is cited as `[^4]`, and often listed as `[4]`. */
const plain = (number: string): string => number.replace("^", "");

function isAlike(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one);
}

/** What an answer cites, and what a person does: not the numbers that their passages begin with. */
function citedBy({ role, parts }: Message): string[] {
  if (role !== "assistant" && role !== "user") return [];
  return parts.flatMap((part) => {
    if (part.type !== "text" || !mayCite(part.text)) return [];
    const said = role === "user" ? typedText(part.text).replace(LISTED_NUMBER, "") : part.text;
    return citationsIn(said);
  });
}

function mayCite(text: string): boolean {
  return text.includes("[") || text.includes("【");
}

/** The text with other numbers; undefined leaves one out. Untouched where they are the same already. */
function withNumbers(text: string, numberFor: (number: string) => string | undefined): string {
  if (!mayCite(text)) return text;
  return text.replace(CODE_OR_CITATION, (all: string, blank: string | undefined, ...groups) => {
    if (blank === undefined) return all;
    const numbers = citedNumbers([all, ...groups] as unknown as RegExpMatchArray);
    const others = numbers.map(numberFor);
    if (others.every((number, at) => number === numbers[at])) return all;
    const left = others.filter((number) => number !== undefined);
    return left.length === 0 ? "" : `${blank}[${left.join(", ")}]`;
  });
}

/** A citation as a text writes it. */
interface FoundCitation {
  /** The same for every way of writing the same citation: `3`, `^4`. */
  readonly key: string;
  /** How it is written alone: `[3]`, `[^4]`, `【7†source】`. */
  readonly text: string;
}

const RANGE_JOINER = /^\s?[–-]\s?$/;

/**
 * The citations of a text of prose, in order, each once. `[3]–[5]` names three. Code is left out: `rows[3]` is no
 * citation.
 */
export function findCitations(text: string): FoundCitation[] {
  if (!mayCite(text)) return [];
  const prose = text.replace(CODE, " ");
  const found = new Map<string, FoundCitation>();
  const add = (key: string, form = `[${key}]`): void => {
    if (!found.has(key)) found.set(key, { key, text: form });
  };
  let end = 0;
  let last = Number.NaN;
  for (const match of prose.matchAll(CITATION)) {
    const keys = citedNumbers(match);
    const first = Number(keys[0]);
    // NaN for footnotes, which aren't counted through.
    if (RANGE_JOINER.test(prose.slice(end, match.index)) && first - last <= MAX_RANGE)
      for (let number = last + 1; number < first; number++) add(String(number));
    for (const key of keys) add(key, match[0].startsWith("【") ? match[0] : undefined);
    end = match.index + match[0].length;
    last = Number(keys.at(-1));
  }
  return [...found.values()];
}

/** The same, by their keys. */
export const citationsIn = (text: string): string[] => findCitations(text).map(({ key }) => key);

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
  if (registry === NONE) return { ...NONE, cites: () => false, ledger: () => [] };
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
