import type { Message, Recalled } from "../../core/types.ts";
import { recalledText } from "./recalled-text.ts";

/** What a view quotes before one of its user messages. */
export interface PlacedQuotation {
  readonly record: Recalled;
  /** Index of the user message, leading system messages counted. */
  readonly before: number;
  readonly text: string;
}

/** A transcript, as far as records of quotations are read by it. */
export interface QuotableTranscript {
  readonly messages: readonly Message[];
  /** Leading system messages among them. */
  readonly start: number;
  /** Names the first so many messages after those. */
  hashOf(length: number): string | undefined;
}

/** Quotations that are on record, in their words and places, oldest first; without those that no longer fit the transcript. */
export function placedQuotations(
  recalled: readonly Recalled[],
  { messages, start, hashOf }: QuotableTranscript,
  textOf: (record: Recalled) => string | undefined = ({ passages }) =>
    recalledText(passages, messages, start),
): readonly PlacedQuotation[] {
  return recalled
    .filter(({ hash, length }) => hashOf(length) === hash)
    .sort((a, b) => a.length - b.length)
    .flatMap((record) => {
      const before = start + record.length - 1;
      const text = messages[before]?.role === "user" ? textOf(record) : undefined;
      return text === undefined ? [] : [{ record, before, text }];
    });
}
