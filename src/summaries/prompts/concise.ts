import { frame, intro } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

const TASK =
  "Keep it short: what the user wanted, how the user wanted the assistant to behave, what was found out, decided and done, and what was still open. Where tools were used, say in one sentence what was asked of which tool and what came back. Use short lines, the most important first.";

/** For small models: one short text without sections. */
export const concisePrompt: Prompt = {
  id: "concise",
  version: "4",
  analysis: false,
  task: TASK,
  render(input) {
    return frame({ text: `${intro(input)} ${TASK}` }, input);
  },
};
