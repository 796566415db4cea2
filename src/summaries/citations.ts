import { addTo } from "../core/add-to.ts";
import type { Message } from "../core/types.ts";
import { definedSources } from "./sources.ts";

/**
 * The citation registry of a conversation: one number per source. Where a host counts its sources anew in every turn, `[1]`
 * means another document each time; lines of different turns that stand side by side in a summary message need numbers
 * that don't collide.
 */
export interface CitationRegistry {
  /** The source that a citation in message `index` points at. */
  resolve(index: number, citation: string): Source | undefined;
}

/** A document that answers cite. */
export interface Source {
  /** Its number in this conversation, as it is written between brackets: `3`, `^4`. */
  readonly number: string;
  /** What it is found by: a document id, an address, a file. */
  readonly key: string;
  /** What the ledger shows: the key, and a title if there is one. */
  readonly label: string;
  /** The host called it something else, so the place where the transcript names it says the wrong number. */
  readonly renumbered: boolean;
}

/** `[3]`, `[1, 2]`, `[3–5]`, `[^4]`, `【7†source】`. Longer numbers are years. */
export const CITATION =
  /\[(\^?)(\d{1,3}(?:\s?[,;–-]\s?\^?\d{1,3}){0,30})\]|【(\d{1,3})(?::\d+)?(?:†[^】\n]{0,120})?】/g;
/** Longer "ranges" are sizes or line numbers. */
const MAX_RANGE = 30;

/** The numbers of one match of `CITATION`: `[1, 3–5]` → 1, 3, 4, 5; a footnote keeps its caret. */
export function citedNumbers(match: RegExpMatchArray): string[] {
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

/** The citations of a text, each once. */
export function citationsIn(text: string): string[] {
  if (!text.includes("[") && !text.includes("【")) return [];
  const found = new Set<string>();
  for (const match of text.matchAll(CITATION)) for (const number of citedNumbers(match)) found.add(number);
  return [...found];
}

interface Definition {
  readonly index: number;
  readonly key: string;
  readonly label: string;
}

/**
 * Reads every source that the transcript names with a number. `keepNumbers` says which messages stay visible: their
 * numbers can't be changed, so where two sources claim a number, the one that a visible message cites keeps it.
 */
export function citationRegistry(
  messages: readonly Message[],
  keepNumbers: (index: number) => boolean,
): CitationRegistry {
  const definitions = new Map<string, Definition[]>();
  const cited: { readonly index: number; readonly number: string }[] = [];
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      for (const { number, key, label } of definedSources(part))
        addTo(definitions, number, { index, key, label });
      if (keepNumbers(index) && part.type === "text")
        for (const number of citationsIn(part.text)) cited.push({ index, number });
    }
  });

  const definitionFor = (index: number, number: string): Definition | undefined => {
    const list = definitions.get(number) ?? definitions.get(number.replace("^", ""));
    return list?.findLast((definition) => definition.index <= index) ?? list?.[0];
  };

  const numberOf = new Map<string, string>();
  const taken = new Set<string>();
  const claim = (number: string, key: string): void => {
    if (numberOf.has(key) || taken.has(number)) return;
    numberOf.set(key, number);
    taken.add(number);
  };
  for (const { index, number } of cited.reverse()) {
    const definition = definitionFor(index, number);
    if (definition !== undefined) claim(number, definition.key);
  }
  const newestFirst = [...definitions].flatMap(([number, list]) =>
    list.map((definition) => ({ number, ...definition })),
  );
  newestFirst.sort((a, b) => b.index - a.index);
  for (const { number, key } of newestFirst) claim(number, key);
  // What is left lost its number to a newer source and gets a free one above all others.
  let next = 1 + Math.max(0, ...[...taken].map((number) => Number(number.replace("^", ""))));
  for (const { key } of newestFirst.reverse()) if (!numberOf.has(key)) claim(String(next++), key);

  return {
    resolve(index, citation) {
      const definition = definitionFor(index, citation);
      if (definition === undefined) return undefined;
      const number = numberOf.get(definition.key) as string;
      return { number, key: definition.key, label: definition.label, renumbered: number !== citation };
    },
  };
}

/** A line with its citations in the numbers of the registry. Untouched where they are the same already. */
export function renumber(text: string, index: number, registry: CitationRegistry): string {
  if (!text.includes("[") && !text.includes("【")) return text;
  return text.replace(CITATION, (...found) => {
    const match = found as unknown as RegExpMatchArray;
    const numbers = citedNumbers(match);
    const sources = numbers.map((number) => registry.resolve(index, number));
    const changed = sources.some((source, at) => source !== undefined && source.number !== numbers[at]);
    if (!changed) return match[0];
    return `[${sources.map((source, at) => source?.number ?? numbers[at]).join(", ")}]`;
  });
}
