import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeTask } from "./shared/sections.ts";

/** Several summaries of one conversation become one. Their originals are not read again. */
export const mergePrompt: Prompt = {
  id: "merge",
  version: "4",
  analysis: false,
  render(input) {
    // Pointers are the summaries' own: asking for pointers into messages that aren't shown would invite made-up ones.
    const { covers: _, ...rest } = input;
    return frame(
      {
        text: `These are ${input.summaries?.length ?? 0} summaries of successive parts of one conversation, oldest first. Write one record in their place.
- Every fact comes out of them. Nothing is added, concluded or explained anew.
- A line keeps its pointers to messages (\`#12–18\`). Lines that become one take the pointers of all of them.
- What several say is said once. Where a later part corrects or takes back something, the later one holds; statements of the user that merely contradict each other both stay.
- What a later part finished or dropped is no longer open. Of finished work the result stays, the way to it can go, except for what failed.
- Every restriction and rule of the user's stays word for word.
- Take lines over as they are where they fit, and join those that belong together. If room is short, leave out what can be looked up again before what was decided, demanded or learned.

${describeTask(input)}`,
      },
      rest,
    );
  },
};
