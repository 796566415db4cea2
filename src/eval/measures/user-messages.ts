import { isThere, isThereWhole } from "../evidence.ts";
import type { AgentCase, Observation, RetentionMeasure } from "../types.ts";
import { contentWords } from "../words.ts";

function share(evalCase: AgentCase, test: (text: string) => boolean): Observation | undefined {
  const texts = evalCase.people.map((index) => evalCase.messages[index]!.content);
  const telling = texts.filter((text) => contentWords(text).length > 0);
  if (telling.length === 0) return undefined;
  return { sum: telling.filter(test).length, weight: telling.length };
}

/** Of the messages that a person wrote, the share whose words are still together in the view. */
export const userMessages: RetentionMeasure<AgentCase> = {
  id: "users",
  label: "user messages",
  about: "messages of people whose words are still together",
  better: "higher",
  observe: (evalCase, view) => share(evalCase, (text) => isThere(text, view.words())),
};

/** The same from first word to last: a message of which only the start was kept doesn't count. */
export const userMessagesWhole: RetentionMeasure<AgentCase> = {
  id: "users-whole",
  label: "user messages, whole",
  about: "the same from first word to last",
  better: "higher",
  observe: (evalCase, view) => share(evalCase, (text) => isThereWhole(text, view.words())),
};
