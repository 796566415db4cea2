import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** A summary lacks items that it must carry: the one second chance before code appends them. */
export const repairPrompt: Prompt = {
  id: "repair",
  version: "4",
  analysis: false,
  render(input) {
    return frame(
      {
        text: "The previous summary is a draft of the record of a conversation. Some items that must stand in it are missing: they are listed below, and the excerpts are the lines of the conversation that they stand in. Write the draft again with each of them worked in at the fact that it belongs to. Keep headings, pointers and everything else as it is. If room is short, shorten the wording of the rest, not its facts.",
      },
      input,
    );
  },
};
