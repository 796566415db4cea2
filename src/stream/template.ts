import type { StreamRole } from "./types.ts";

/** How turns look in the text of a local model. Special tokens are written as their text. */
export interface TurnTemplate {
  open(role: StreamRole): string;
  readonly close: string;
}

/** What stands before a caption, so that the model doesn't take it for the user's words. */
const CAPTION = "[caption] ";

/** ChatML, which most small models speak. Captions come as the user's turn with a mark. */
export const chatMl: TurnTemplate = {
  open: (role) => (role === "caption" ? `<|im_start|>user\n${CAPTION}` : `<|im_start|>${role}\n`),
  close: "<|im_end|>\n",
};

/** A caption as text, for formats that have no place for it. */
export const captionText = (text: string): string => `${CAPTION}${text}`;
