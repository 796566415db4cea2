import { plural } from "./plural.ts";

/** Texts about a chat: a summary to paste, the start of a fresh chat. */
export const text = {
  open: "Summary and hand-over",
  title: "Summary and hand-over",
  help: "A text about this chat, to paste into a pull request or a message. With a goal it becomes the start of a fresh chat. This chat stays as it is.",
  goal: "What is the fresh chat for? (empty: a summary)",
  goalPlaceholder: "e.g. release version 2",
  withModel: "Let the model write it",
  writeSummary: "Write a summary",
  writeStart: "Write a hand-over",
  writing: "Writing…",
  summary: "Summary, yours to change",
  startText: "Hand-over, yours to change",
  tokens: (tokens: number) => `${plural(tokens, "token")},`,
  empty: "There is hardly anything to summarise yet.",
  byCode: "written without a model.",
  byModel: (name: string) => `written with ${name}.`,
  kept: "Your words, as you left them.",
  replaced: "Your words were replaced.",
  bringBack: "Bring them back",
  copy: "Copy as text",
  start: "Start a new chat with it",
};
