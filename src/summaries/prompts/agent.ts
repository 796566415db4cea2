import { frame, intro, WORK_ANALYSIS } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeSections } from "./shared/sections.ts";

/** For work with tools: an analysis, then eight sections. */
export const agentPrompt: Prompt = {
  id: "agent",
  version: "4",
  analysis: true,
  kind: "work",
  render(input) {
    const text = `${intro(input)} ${describeSections("work", input.target)}`;
    return frame({ text, analysis: WORK_ANALYSIS }, input);
  },
};
