import {
  answerFormat,
  bounds,
  bullets,
  DATA_RULES,
  joinSections,
  notesTask,
  quote,
  RULES,
  TALK_ANALYSIS,
  WORK_ANALYSIS,
} from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeTask } from "./shared/sections.ts";

/**
 * The one message behind a running conversation. Its prefix must stay byte for byte what the provider has cached, so
 * the tools stay in the request and can only be forbidden in words.
 */
export const continuationPrompt: Prompt = {
  id: "continuation",
  version: "5",
  analysis: true,
  render(input) {
    // The messages carry no numbers here, so the model can't point at them.
    const { covers: _, kind = "work", ...rest } = input;
    const until =
      input.until === undefined
        ? ""
        : `The newest messages stay in the conversation, from the one that begins with ${quote(input.until)}. Record what came before it; use the newest only to see what is done and what is open.`;
    const earlier = input.hasRecord
      ? "A record of still earlier messages already stands in the conversation and stays there: don't repeat it. Record what came after it, and say where that changes something in it."
      : "";
    return {
      user: joinSections([
        "This message comes from the program that runs the conversation, not from the user. The work pauses here. Your next answer isn't shown to the user: it is a record of the conversation so far, with which you will go on once the older messages are no longer shown to you.",
        "Don't go on with the task now, and call no tool: no call will be carried out, and an answer with a call in it is thrown away. Answer with text only, even if your instructions ask you to use tools.",
        `Rules for the record:\n${bullets([DATA_RULES.inside, ...RULES])}`,
        until,
        earlier,
        describeTask(input),
        ...bounds(rest),
        notesTask(rest),
        answerFormat(kind === "work" ? WORK_ANALYSIS : TALK_ANALYSIS, input),
      ]),
    };
  },
};
