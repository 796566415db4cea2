import type { Dialect, Measure, Recalled } from "../../core/types.ts";
import {
  type PlacedQuotation,
  placedQuotations,
  type Quoted,
  quotedTokens,
} from "../../engine/read/quotations.ts";
import type { Loaded } from "./loaded.ts";

/** What was quoted for messages of a conversation, oldest first; without what no longer fits its transcript. */
export function recordedQuotes(
  recalled: readonly Recalled[],
  { stored, messages, lead }: Pick<Loaded, "stored" | "messages" | "lead">,
): readonly PlacedQuotation[] {
  const hashOf = (length: number) => stored[length - 1]?.hash;
  return placedQuotations(recalled, { messages, start: lead.length, hashOf });
}

/** Quotations with the tokens that each added to its view. */
export function countedQuotes(
  quotes: readonly PlacedQuotation[],
  {
    dialect,
    transcript,
    messages,
  }: Pick<Loaded, "transcript" | "messages"> & { readonly dialect: Dialect<unknown> },
  measure: Measure,
): readonly Quoted[] {
  const counts = {
    measure,
    tokensOf: (index: number) => measure.message(messages[index]!),
    editedTokens: (index: number, edits: Parameters<typeof dialect.edit>[1]) =>
      measure.message(dialect.read(dialect.edit(transcript[index]!, edits))),
  };
  return quotes.map((quote) => ({ ...quote, tokens: quotedTokens(counts, dialect.rules, quote) }));
}
