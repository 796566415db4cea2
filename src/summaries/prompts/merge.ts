import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** Several summaries of one conversation become one. Their originals are not read again. */
export const mergePrompt: Prompt = {
  id: "merge",
  version: "1",
  analysis: false,
  render(input) {
    // Pointers are the summaries' own: asking for pointers into messages that aren't shown would invite made-up ones.
    const { covers: _, ...rest } = input;
    return frame(
      {
        text: `These are ${input.summaries?.length ?? 0} summaries of successive parts of one conversation, oldest first. Write one record in their place.
- Every fact comes out of them. Nothing is added, concluded or explained anew.
- A line keeps its pointers to messages (\`#12–18\`). Lines that become one take the pointers of all of them.
- What several say is said once. Where they contradict each other, the later one holds.
- What a later part finished or dropped is no longer open. Of finished work the result stays, the way to it can go, except for what failed.
- If room is short, leave out what can be looked up again before what was decided, demanded or learned.
- Keep the headings that they have in common.`,
      },
      rest,
    );
  },
};
