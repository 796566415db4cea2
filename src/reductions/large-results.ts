import { clipText } from "../core/clip.ts";
import { editParts, type Reduction } from "./reduction.ts";

/** Large old tool results keep their first 40 % and last 60 % of the allowance, with a marker between. */
export const largeResults: Reduction = {
  name: "large-results",
  apply(draft, input) {
    const { measure, allowance } = input;
    return editParts(draft, input, (part, at) => {
      if (part.type !== "tool-result" || part.locked || part.media?.length) return undefined;
      // A result is worth clipping when it is larger than its allowance by this factor.
      if (measure.text(part.text) <= allowance * 1.25) return undefined;
      const text = clipText(part.text, allowance, (piece) => measure.text(piece));
      return text === undefined ? undefined : { type: "replace", part: at.part, text, why: "large-result" };
    });
  },
};
