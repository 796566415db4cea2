import { type Draft, type Fate, isShown } from "../../core/draft.ts";
import type { DialectRules, Edit, InsertMessage, Message, Quotation, Recalled } from "../../core/types.ts";
import type { RecentMap } from "../../tokens/recent-map.ts";
import { type Conversation, insertTokens } from "../conversation.ts";
import { recalledText } from "./recalled-text.ts";

/** What a view quotes before one of its user messages. */
export interface PlacedQuotation {
  readonly record: Recalled;
  /** Index of the user message, leading system messages counted. */
  readonly before: number;
  readonly text: string;
}

/** A transcript, as far as records of quotations are read by it. */
interface QuotableTranscript {
  readonly messages: readonly Message[];
  /** Leading system messages among them. */
  readonly start: number;
  /** Names the first so many messages after those. */
  hashOf(length: number): string | undefined;
}

/** A quotation, and what it adds to its view. */
export interface Quoted extends PlacedQuotation {
  readonly tokens: number;
}

/** What views that stand on a checkpoint quote, oldest first; without what no longer fits the transcript. */
export function quotedBy(
  checkpoint: string,
  recalled: readonly Recalled[],
  conversation: Conversation,
  rules: Pick<DialectRules, "alternation">,
  /** Texts that were put together before, by what they were made from. */
  texts: RecentMap<string>,
): readonly Quoted[] {
  const { chain, structure, messages } = conversation;
  const { start } = structure;
  const textOf = ({ hash, passages, length }: Recalled): string | undefined => {
    const key = `${hash} ${start} ${passages.join(" ")}`;
    const text = texts.get(key) ?? recalledText(passages, messages, start, start + length - 1);
    if (text !== undefined) texts.set(key, text);
    return text;
  };
  const own = recalled.filter((one) => one.checkpoint === checkpoint);
  const transcript = { messages, start, hashOf: (length: number) => chain[length] };
  return placedQuotations(own, transcript, textOf).map((placed) => ({
    ...placed,
    tokens: quotedTokens(countsOf(conversation), rules, placed),
  }));
}

/** Quotations as a report tells them. */
export function quotationsOf(quoted: readonly Quoted[], { structure }: Conversation): Quotation[] {
  return quoted.map(({ before, record }) => ({
    before,
    messages: [...new Set(record.passages.map(([message]) => structure.start + message))],
  }));
}

/** How the messages that quotations join are counted. */
export interface QuotedCounts extends Pick<Conversation, "measure" | "editedTokens"> {
  tokensOf(index: number): number;
}

/** Counts quotations with the messages of a conversation. */
export function countsOf({ measure, editedTokens, tokens }: Conversation): QuotedCounts {
  return { measure, editedTokens, tokensOf: (index) => tokens[index]! };
}

/** Tokens that a quotation adds to a view. */
export function quotedTokens(
  { measure, editedTokens, tokensOf }: QuotedCounts,
  rules: Pick<DialectRules, "alternation">,
  { before, text }: Pick<PlacedQuotation, "before" | "text">,
): number {
  return rules.alternation === "strict"
    ? editedTokens(before, [joined(text)]) - tokensOf(before)
    : insertTokens(measure, message(text));
}

/**
 * The draft with what it quotes, each directly before its user message. Where roles must alternate, it joins that message
 * behind the user's own words.
 */
export function withQuoted(
  draft: Draft,
  quoted: readonly Pick<PlacedQuotation, "before" | "text">[],
  rules: Pick<DialectRules, "alternation">,
): Draft {
  if (quoted.length === 0) return draft;
  const shown = quoted.filter(({ before }) => isShown(draft.fates[before]!));
  if (rules.alternation !== "strict")
    return {
      ...draft,
      inserts: [...draft.inserts, ...shown.map(({ before, text }) => ({ message: message(text), before }))],
    };
  const fates = [...draft.fates];
  for (const { before, text } of shown) {
    const fate = fates[before] as Extract<Fate, { type: "keep" | "edit" }>;
    fates[before] = { type: "edit", edits: [...(fate.type === "edit" ? fate.edits : []), joined(text)] };
  }
  return { ...draft, fates };
}

function message(text: string): InsertMessage {
  return { role: "user", text: text.toWellFormed() };
}

function joined(text: string): Edit {
  return { type: "append", text: text.toWellFormed(), why: "recall" };
}

/** Quotations that are on record, in their words and places, oldest first; without those that no longer fit the transcript. */
export function placedQuotations(
  recalled: readonly Recalled[],
  { messages, start, hashOf }: QuotableTranscript,
  textOf: (record: Recalled) => string | undefined = ({ passages, length }) =>
    recalledText(passages, messages, start, start + length - 1),
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
