import { argumentValues } from "./argument-values.ts";
import { memoByObject } from "./memo.ts";
import { messageText, plainText, unescapeNewlines } from "./message-text.ts";
import { termsOf } from "./terms.ts";
import type { AgentCase, ChatMessage } from "./types.ts";

/** What follows a cut, in order: the calls, and the texts that the agent got to see between them. */
type Following =
  | { readonly type: "call"; readonly name: string; readonly args: string }
  | { readonly type: "seen"; readonly text: string };

/** How many calls after the cut say what was needed. */
export const NEXT_CALLS = 15;

/** Everything before the cut, as the measures read it. */
const textBefore = memoByObject((c: AgentCase) =>
  unescapeNewlines(c.messages.slice(c.from, c.to).map(messageText).join("\n")),
);

/** The same with JSON escapes undone: for comparing words and lines. */
export const plainTextBefore = memoByObject((c: AgentCase) => plainText(textBefore(c)));

/** What follows the cut, up to the last of the next calls. */
export const nextSteps = memoByObject((c: AgentCase) => following(c.messages, c.resume, NEXT_CALLS));

/**
 * Terms of the next calls that occur before the cut and that nobody had said again by the time they were used:
 * what the agent could only know from before.
 */
export const neededTerms = memoByObject((c: AgentCase): ReadonlySet<string> => {
  const before = new Set(termsOf(plainTextBefore(c)));
  const needed = new Set<string>();
  const seenAgain = new Set<string>();
  for (const step of nextSteps(c)) {
    if (step.type === "seen") {
      for (const term of termsOf(plainText(step.text))) seenAgain.add(term);
      continue;
    }
    for (const term of termsOf(plainText(argumentValues(step.args)))) {
      if (before.has(term) && !seenAgain.has(term)) needed.add(term);
    }
  }
  return needed;
});

/** The next `calls` calls after `at`, with the tool results and user messages that came before the last of them. */
export function following(messages: readonly ChatMessage[], at: number, calls: number): Following[] {
  const list: Following[] = [];
  let left = calls;
  for (let i = at; i < messages.length && left > 0; i++) {
    const message = messages[i]!;
    if (message.role !== "assistant") {
      list.push({ type: "seen", text: message.content });
      continue;
    }
    for (const call of (message.tool_calls ?? []).slice(0, left)) {
      list.push({ type: "call", name: call.function.name, args: call.function.arguments });
      left--;
    }
  }
  return list;
}
