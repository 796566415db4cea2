import { frame } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** For chats of any kind, and for small models: one short text. */
export const concisePrompt: Prompt = {
  id: "concise",
  version: "1",
  analysis: false,
  render(input) {
    const earlier =
      input.previous === undefined
        ? ""
        : " The previous summary covers what came before the transcript: write one record of both.";
    return frame(
      {
        text: `Write a short record of this conversation: what the user wants, how the user wants the assistant to behave, what was found out, decided and done, and what is still open.${earlier} Where tools were used, say in one sentence what was asked of which tool and what came back. Use short lines, the most important first.`,
      },
      input,
    );
  },
};
