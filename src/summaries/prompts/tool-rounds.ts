import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

const TASK =
  "For each, say in one or two sentences what was wanted, which tool was called with which arguments, what came back, and what followed from it. Give found values as they are. Say it as a report of the past, one line per use.";

/** For the strategy `tool-summaries`: finished rounds become a few sentences, the talk around them stays. */
export const toolRoundsPrompt: Prompt = {
  id: "tool-rounds",
  version: "4",
  analysis: false,
  render(input) {
    return frame({ text: `The transcript holds finished uses of tools. ${input.task ?? TASK}` }, input);
  },
};
