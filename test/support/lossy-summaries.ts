import type { RulesConversation } from "../../src/eval/rules/conversation.ts";
import type { FakeReplier } from "../../src/testing/index.ts";

/** Lines of what was done that a record tells, at most. */
const LINES = 12;
/** Letters of a line that it tells. */
const LINE = 90;

/**
 * A model that writes records which read well and lose much: what tools and answers said, cut short, and every second of the user's
 * rules that it was shown, as if it still held, for it forgets that rules were changed.
 */
export function lossySummaries(conversations: readonly RulesConversation[]): FakeReplier {
  const rules = [...new Set(conversations.flatMap((one) => one.rules.map(({ text }) => text)))];
  return ({ messages, lastUser }) => {
    const shown = messages.map(({ text }) => text).join("\n");
    const told = lastUser
      .split("\n")
      .filter(
        (line) => line.length > 40 && !/^\s*[<-]/.test(line) && !rules.some((rule) => line.includes(rule)),
      );
    const step = Math.max(1, Math.floor(told.length / LINES));
    const lines = told.filter((_, index) => index % step === 0).slice(0, LINES);
    const kept = rules.filter((rule) => shown.includes(rule)).filter((_, index) => index % 2 === 0);
    return [
      "<conversation-summary>",
      "The user asked for several changes and set rules for the work, most of which were followed. #1",
      ...kept.map((rule) => `The user's rule was: "${rule}" #1`),
      ...lines.map((line) => `- It was seen that ${line.trim().slice(0, LINE)} #1`),
      "The last step was finished, and the user was told so. #1",
      "</conversation-summary>",
    ].join("\n");
  };
}
