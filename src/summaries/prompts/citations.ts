import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** For answers from sources: every claim keeps the marker of the source that it came from. */
export const citationsPrompt: Prompt = {
  id: "citations",
  version: "1",
  analysis: false,
  render(input) {
    const earlier =
      input.previous === undefined
        ? ""
        : " The previous summary covers what came before: write one record of both, with the markers of both.";
    return frame(
      {
        text: `Write the record of this conversation about sources: each question of the user with the answer that it got, the products, models and technical facts that were named, and what was left unanswered.${earlier} Facts come before courtesies. Use short paragraphs or lines.`,
        rules: [
          "Markers of sources ([3], [1, 2], [^4], 【7†source】) stay right behind the claim that they stand behind now, with the same number and the same brackets. Don't renumber, merge or move them, and make no new ones.",
          "A claim whose source is marked keeps its marker even where the sentence is shortened. A claim without a marker stays without one.",
        ],
      },
      input,
    );
  },
};
