import { type Draft, entriesOf } from "../core/draft.ts";
import { breachesOf } from "../core/invariants.ts";
import { renderView } from "../core/render.ts";
import type { Dialect } from "../core/types.ts";
import type { Conversation } from "./conversation.ts";

export interface ReadTranscript<M> {
  readonly dialect: Dialect<M>;
  readonly transcript: readonly M[];
  readonly system: unknown;
  readonly conversation: Conversation;
}

/** The post-conditions of a draft, judged on the wire messages that it renders to. */
export function judge<M>(
  { dialect, transcript, system, conversation }: ReadTranscript<M>,
  { draft, tokens, limit }: { readonly draft: Draft; readonly tokens: number; readonly limit: number },
): readonly string[] {
  const entries = entriesOf(draft);
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
