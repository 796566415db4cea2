import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { CITATION } from "../../summaries/sources/citation-form.ts";

/** From this share of cited answers on, a conversation is about documents. */
const CITED_SHARE = 0.25;
/** From so many calls to a question on, an agent works. */
const CALLS_PER_QUESTION = 1;

/** What makes a profile suit a conversation: the reason that goes with a suggestion. */
export const SUITS = {
  rag: "many of its answers cite sources",
  agent: "it has more tool calls than questions",
  desktop: "it is a chat with few tool calls",
} as const;

/** The profile that is made for conversations like this one. Questions about documents use tools, too, so citations count first. */
export function suggestProfile(messages: readonly Message[]): keyof typeof SUITS {
  const of = (role: Message["role"]) => messages.filter((message) => message.role === role);
  const answers = of("assistant").filter((message) => saidText(message).trim() !== "");
  const cited = answers.filter((message) => saidText(message).search(CITATION) >= 0).length;
  if (cited > 0 && cited >= CITED_SHARE * answers.length) return "rag";
  const questions = of("user").filter(({ parts }) => parts.some(({ type }) => type === "text")).length;
  const calls = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call")).length;
  return calls > CALLS_PER_QUESTION * questions ? "agent" : "desktop";
}
