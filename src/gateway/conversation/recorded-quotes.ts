import type { Dialect, Measure, Recalled } from "../../core/types.ts";
import { insertTokens } from "../../engine/conversation.ts";
import { recalledText } from "../../engine/recall/recalled-text.ts";
import type { Loaded } from "./loaded.ts";

/** What a view quoted before one of its user messages, as it is on record. */
export interface RecordedQuote {
  /** The compaction whose views show it. */
  readonly checkpoint: string;
  /** Messages of the transcript when it was first sent. */
  readonly messages: number;
  /** Index of the user message, leading system messages counted. */
  readonly before: number;
  readonly text: string;
}

/** What was quoted for messages of a conversation, oldest first; without what no longer fits its transcript. */
export function recordedQuotes(
  recalled: readonly Recalled[],
  { stored, messages, lead }: Pick<Loaded, "stored" | "messages" | "lead">,
): readonly RecordedQuote[] {
  return recalled
    .filter(({ hash, length }) => stored[length - 1]?.hash === hash)
    .sort((a, b) => a.length - b.length)
    .flatMap(({ checkpoint, length, passages }) => {
      const before = lead.length + length - 1;
      const text = messages[before]?.role === "user" && recalledText(passages, messages, lead.length);
      return text ? [{ checkpoint, messages: length, before, text }] : [];
    });
}

/** Tokens that a quotation added to its view. */
export function recordedQuoteTokens(
  { before, text }: RecordedQuote,
  {
    dialect,
    transcript,
    messages,
  }: Pick<Loaded, "transcript" | "messages"> & { readonly dialect: Dialect<unknown> },
  measure: Measure,
): number {
  if (dialect.rules.alternation !== "strict") return insertTokens(measure, { role: "user", text });
  const joined = dialect.edit(transcript[before]!, [{ type: "append", text, why: "recall" }]);
  return measure.message(dialect.read(joined)) - measure.message(messages[before]!);
}
