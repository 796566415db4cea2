import type { Draft, Fate } from "../../core/draft.ts";
import { isShown } from "../../core/draft.ts";
import type { DialectRules, Edit, InsertMessage, Recalled } from "../../core/types.ts";
import type { RecentMap } from "../../tokens/recent-map.ts";
import { type Conversation, insertTokens } from "../conversation.ts";
import { recalledText } from "./recalled-text.ts";

/** What a view quotes before one of its user messages. */
export interface Quoted {
  readonly record: Recalled;
  /** Index of the user message. */
  readonly before: number;
  readonly text: string;
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
  return recalled
    .filter((one) => one.checkpoint === checkpoint && chain[one.length] === one.hash)
    .sort((a, b) => a.length - b.length)
    .flatMap((record) => {
      const before = structure.start + record.length - 1;
      const key = `${record.hash} ${structure.start} ${record.passages.join(" ")}`;
      const text = texts.get(key) ?? recalledText(record.passages, messages, structure.start);
      if (text !== undefined) texts.set(key, text);
      if (text === undefined || messages[before]?.role !== "user") return [];
      return [{ record, before, text, tokens: quotedTokens(conversation, rules, before, text) }];
    });
}

/** Tokens that a quotation adds to a view. */
export function quotedTokens(
  conversation: Conversation,
  rules: Pick<DialectRules, "alternation">,
  before: number,
  text: string,
): number {
  return rules.alternation === "strict"
    ? conversation.editedTokens(before, [joined(text)]) - conversation.tokens[before]!
    : insertTokens(conversation.measure, message(text));
}

/**
 * The draft with what it quotes, each directly before its user message. Where roles must alternate, it joins that message
 * behind the user's own words.
 */
export function withQuoted(
  draft: Draft,
  quoted: readonly Pick<Quoted, "before" | "text">[],
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
