import { isRecord } from "../is-record.ts";
import { mapSteps, type Steps } from "../steps.ts";
import type { Checkpoint, Message, PackedCheckpoint, PackedText, Summary } from "../types.ts";
import { packEntries, unpackEntries } from "./packed-entries.ts";
import { createPacker, unpackText } from "./packed-text.ts";
import { hasCheckpointFacts, isText } from "./record-checks.ts";
import { charactersOf, sourceText } from "./source-text.ts";

/** What the texts of a checkpoint may be told by. */
export interface PackedSources {
  /** The transcript that it stands on, and where its leading system messages end. */
  readonly messages: readonly Message[];
  readonly start: number;
  readonly summaries: readonly Summary[];
}

/** What the texts of a checkpoint may have beside twice the characters of what they stand for. */
const OWN_CHARACTERS = 1_000_000;

export function* packCheckpoint(
  checkpoint: Checkpoint,
  { messages, start, summaries }: PackedSources,
): Steps<PackedCheckpoint> {
  const { entries, texts, ...facts } = checkpoint;
  const { length } = checkpoint;
  const quotable = summaries.filter(({ covers }) => covers.to <= length);
  const pack = createPacker(function* () {
    const said = yield* mapSteps(messages.slice(start, start + length), sourceText);
    return [...said, ...quotable.map(({ text }) => text)];
  });
  // The system prompt stands in the state, once, if it may stand there at all.
  const hashes = Object.keys(texts).filter((hash) => hash !== facts.head);
  const places = new Map(hashes.map((hash, at) => [hash, at]));
  const packedTexts: PackedText[] = [];
  for (const hash of hashes) packedTexts.push(yield* pack(texts[hash]!));
  const { packed, quotes } = withUsedQuotes(
    packedTexts,
    length,
    quotable.map(({ key }) => key),
  );
  return {
    ...facts,
    entries: packEntries(entries, (hash) => places.get(hash)!),
    texts: packed,
    ...(quotes.length > 0 && { quotes }),
  };
}

/** Only summaries that a text really repeats are named. */
function withUsedQuotes(
  texts: readonly PackedText[],
  length: number,
  keys: readonly string[],
): { readonly packed: readonly PackedText[]; readonly quotes: readonly string[] } {
  const places = new Map<number, number>();
  const packed = texts.map((text) => {
    const copied = [...text];
    for (let at = 0; at < copied.length; at++) {
      const source = copied[at]!;
      if (typeof source === "string") continue;
      if (source >= length) {
        if (!places.has(source)) places.set(source, length + places.size);
        copied[at] = places.get(source)!;
      }
      at += 2;
    }
    return copied;
  });
  return { packed, quotes: [...places.keys()].map((source) => keys[source - length]!) };
}

/** The checkpoint that was packed; undefined if what it refers to isn't there. */
export function unpackCheckpoint(
  packed: PackedCheckpoint,
  sources: PackedSources,
  textHash: (text: string) => string,
): Checkpoint | undefined {
  const { entries: packedEntries, texts: packedTexts, quotes = [], ...facts } = packed;
  const { messages, start, summaries } = sources;
  const { length } = facts;
  if (start + length > messages.length) return undefined;
  const read = new Map<number, string>();
  const sourceAt = (source: number) => {
    const known = read.get(source);
    if (known !== undefined) return known;
    const text =
      source < length
        ? messages[start + source] && sourceText(messages[start + source]!)
        : summaries.find(({ key }) => key === quotes[source - length])?.text;
    if (text !== undefined) read.set(source, text);
    return text;
  };
  const texts = new Map<string, string>();
  const hashes: string[] = [];
  let left = OWN_CHARACTERS + 2 * charactersOf(messages);
  for (const one of packedTexts) {
    const text = unpackText(one, sourceAt, left);
    if (text === undefined) return undefined;
    left -= text.length;
    const hash = textHash(text);
    hashes.push(hash);
    texts.set(hash, text);
  }
  const entries = unpackEntries(packedEntries, length, (text) => hashes[text]);
  return entries && { ...sorted({ ...facts, entries }), texts: Object.fromEntries(texts) };
}

/** May its texts be as long as they are beside any transcript? */
export function isModest({ texts }: Checkpoint): boolean {
  return Object.values(texts).reduce((sum, text) => sum + text.length, 0) <= OWN_CHARACTERS;
}

/** The fields in the order of their names, as they are hashed. */
function sorted<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

/** Has it the shape of a packed checkpoint? What its entries say is read later. */
export function isPackedCheckpoint(value: unknown): value is PackedCheckpoint {
  return (
    isRecord(value) &&
    hasCheckpointFacts(value) &&
    Array.isArray(value["entries"]) &&
    Array.isArray(value["texts"]) &&
    value["texts"].every(isPackedText) &&
    (value["quotes"] === undefined || (Array.isArray(value["quotes"]) && value["quotes"].every(isText)))
  );
}

function isPackedText(value: unknown): value is PackedText {
  return Array.isArray(value) && value.every((piece) => isText(piece) || Number.isSafeInteger(piece));
}
