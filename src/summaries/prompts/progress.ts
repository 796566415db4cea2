import { frame, quote } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

const STEPS = `2. Goal: what the user wanted to achieve.
3. Done: the steps that were finished, in the order in which they were.
4. Other topics: what else the user asked or said, and what was answered.
5. Now: the step that was under way, and how far it had come.`;
const LEAD = "Say where the task stands, in plain sentences without headings or lists, in this order.";
const ELAPSED = "1. Elapsed time, if the messages tell it.";

/** For an assistant that accompanies a task as it happens: where things stand, in a few plain sentences. */
export const progressPrompt: Prompt = {
  id: "progress",
  version: "4",
  analysis: false,
  task: `${LEAD}\n${ELAPSED}\n${STEPS}`,
  render(input) {
    const elapsed =
      input.elapsed === undefined ? ELAPSED : `1. Elapsed time: ${quote(input.elapsed)}, as it stands here.`;
    const earlier =
      input.previous === undefined
        ? ""
        : " The previous summary says what came before the transcript: take it in, and let the transcript decide where the two differ.";
    return frame(
      {
        text: `${LEAD}${earlier}
${elapsed}
${STEPS}
What the messages don't tell is left out.`,
      },
      input,
    );
  },
};
