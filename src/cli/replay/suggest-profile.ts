import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { PROFILE_NAMES } from "../../profiles/index.ts";
import { CITATION } from "../../summaries/sources/citation-form.ts";

/** The profile that is made for conversations like this one. Questions about documents use tools, too, so citations count first. */
export function suggestProfile(messages: readonly Message[]): (typeof PROFILE_NAMES)[number] {
  const of = (role: Message["role"]) => messages.filter((message) => message.role === role);
  const answers = of("assistant").filter((message) => saidText(message).trim() !== "");
  const cited = answers.filter((message) => saidText(message).search(CITATION) >= 0).length;
  // From this share of cited answers on, a conversation is about documents.
  if (cited > 0 && cited >= 0.25 * answers.length) return "rag";
  const questions = of("user").filter(({ parts }) => parts.some(({ type }) => type === "text")).length;
  const calls = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-call")).length;
  // From so many calls to a question on, an agent works.
  return calls > 1 * questions ? "agent" : "desktop";
}
