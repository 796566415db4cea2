import { AGENT_ANALYSIS, AGENT_SECTIONS } from "./shared/agent-sections.ts";
import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** For work with tools: an analysis, then eight sections. */
export const agentPrompt: Prompt = {
  id: "agent",
  version: "1",
  analysis: true,
  render(input) {
    const intro =
      input.previous === undefined
        ? "Write the record of the messages in the transcript."
        : "The transcript goes on where the previous summary ends. Write one record of both: carry over what still holds of the previous summary, correct what the transcript has overtaken, and add what is new.";
    return frame({ text: `${intro} ${AGENT_SECTIONS}`, analysis: AGENT_ANALYSIS }, input);
  },
};
