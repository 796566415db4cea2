import { clipText } from "../core/clip.ts";
import { editParts, type Reduction } from "./reduction.ts";

/** A result is worth clipping when it is larger than its allowance by this factor. */
const WORTH_IT = 1.25;

/** Large old tool results keep their first 40 % and last 60 % of the allowance, with a marker between. */
export const largeResults: Reduction = {
  name: "large-results",
  byAllowance: true,
  apply(draft, input) {
    const { measure, allowance } = input;
    return editParts(draft, input, (part, at) => {
      if (part.type !== "tool-result" || part.locked || part.media?.length) return undefined;
      if (measure.text(part.text) <= allowance * WORTH_IT) return undefined;
      const text = clipText(part.text, allowance, (piece) => measure.text(piece));
      return text === undefined ? undefined : { type: "replace", part: at.part, text, why: "large-result" };
    });
  },
};
