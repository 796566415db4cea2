/** Signs that open a formula, and none that closes it: each paragraph is read once. */
import { expect, test } from "vitest";
import { parseMarkdown } from "../../web/src/state/parse-markdown.ts";
import { growth, LINEAR } from "../support/growth.ts";

test.each(["$a", "$$a", "\\(a", "\\[a", "\n$$"])(
  "%j in each of many paragraphs costs so much more as there are more of them",
  (piece) => {
    const parse = (paragraphs: number) => parseMarkdown(`${piece} and words\n\n`.repeat(paragraphs));
    expect(growth(parse, 500)).toBeLessThan(LINEAR);
  },
);
