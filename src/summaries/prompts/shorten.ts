import { frame, wordsOf } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeTask } from "./shared/sections.ts";

/** A summary is too long to be trimmed by code: the draft alone is sent back, with how long it was and how long it may be. */
export const shortenPrompt: Prompt = {
  id: "shorten",
  version: "3",
  analysis: false,
  render(input) {
    // The draft has its pointers; the messages that they point at aren't shown.
    const { covers: _, written, ...rest } = input;
    const was = written === undefined ? "too long" : `${wordsOf(input, written)} long`;
    return frame(
      {
        text: `The previous summary is a draft of the record of a conversation. It was ${was}, pointers not counted, and may have at most ${wordsOf(input, input.target)}. Write it again within that length: join lines that say the same, cut phrases, and leave out what matters least. Add nothing, and keep headings and pointers as they are.

${describeTask(input)}`,
      },
      rest,
    );
  },
};
