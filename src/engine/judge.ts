import { type Draft, entriesOf } from "../core/draft.ts";
import { breachesOf } from "../core/invariants.ts";
import { renderView } from "../core/render.ts";
import type { Dialect } from "../core/types.ts";
import type { Conversation } from "./conversation.ts";

/** The post-conditions of a draft, judged on the wire messages that it renders to. */
export function judge<M>(options: {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly system: unknown;
  readonly conversation: Conversation;
  readonly draft: Draft;
  readonly tokens: number;
  readonly limit: number;
}): readonly string[] {
  const { dialect, transcript, system, conversation, tokens, limit } = options;
  const entries = entriesOf(options.draft);
  const rendered = renderView({ dialect, transcript, entries, system });
  return breachesOf({
    messages: conversation.messages,
    structure: conversation.structure,
    entries,
    shown: rendered.messages.map((message) => dialect.read(message)),
    rules: dialect.rules,
    isHead: conversation.isHead,
    tokens,
    budget: limit,
    transcriptTokens: conversation.total,
  });
}
