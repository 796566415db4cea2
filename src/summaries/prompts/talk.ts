import { frame, intro, TALK_ANALYSIS } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeSections } from "./shared/sections.ts";

/** For conversation: people, facts and goals with their latest state, and what was answered. */
export const talkPrompt: Prompt = {
  id: "talk",
  version: "4",
  analysis: true,
  kind: "talk",
  render(input) {
    const text = `${intro(input)} ${describeSections("talk", input.target)}`;
    const rules = [
      "What the user said counts for more than what the assistant said. Of code, samples and templates that the assistant wrote, say what they were and keep the values that the user took up; of advice, plans and explanations keep the points.",
      "Where tools were used, say in one sentence what was asked of which tool and what came back.",
    ];
    return frame({ text, analysis: TALK_ANALYSIS, rules }, input);
  },
};
