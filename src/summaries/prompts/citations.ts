import { frame, intro } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";
import { describeSections } from "./shared/sections.ts";

/** For answers from sources: every claim keeps the marker of the source that it came from. */
export const citationsPrompt: Prompt = {
  id: "citations",
  version: "4",
  analysis: false,
  kind: "retrieval",
  render(input) {
    return frame(
      {
        text: `${intro(input)} It is a conversation about sources. ${describeSections("retrieval", input.target)}`,
        rules: [
          "Markers of sources ([3], [1, 2], [^4], 【7†source】) stay right behind the claim that they stand behind now, with the same number and the same brackets. Don't renumber, merge or move them, and make no new ones.",
          "A claim whose source is marked keeps its marker even where the sentence is shortened. A claim without a marker stays without one.",
        ],
      },
      input,
    );
  },
};
