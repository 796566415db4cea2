import { recalledMessage } from "../../src/engine/read/quotations.ts";
import { recallAllowance } from "../../src/engine/recall/recall-for.ts";
import { indexWords, isThere } from "../../src/eval/words.ts";
import { piecesOf } from "../../src/recall/visible-text.ts";

/** Tokens of a message beside its text. */
const MESSAGE = 4;

/**
 * The share of a question's evidence that a view could hold if recall knew which messages are meant: their beginnings are quoted, the
 * cheapest first, within the same allowance and in the same form. What is missing from this is missing for want of room; what
 * automatic recall has less, it didn't find.
 */
export function heldIfKnown(options: {
  readonly view: string;
  readonly question: string;
  /** Texts of the messages that are meant. */
  readonly evidence: readonly string[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): number {
  const { view, question, evidence, budget, count } = options;
  const written = (quoted: readonly string[]): string =>
    recalledMessage(quoted.map((text) => ({ head: "#100", text, isSaid: true })));
  const holds = (text: string, quoted: readonly string[]): boolean =>
    isThere(text, indexWords(`${view}\n${written(quoted)}\n${question}`));
  const before = indexWords(view);
  const missing = new Set(evidence.filter((text) => !isThere(text, before)));
  const quoted: string[] = [];
  while (missing.size > 0) {
    const cheapest = [...missing]
      .map((text) => ({ text, beginning: beginningOf(text, (one) => holds(text, [...quoted, one])) }))
      .sort((a, b) => a.beginning.length - b.beginning.length)[0]!;
    const next = [...quoted, cheapest.beginning];
    if (count(written(next)) + MESSAGE > recallAllowance(budget)) break;
    quoted.push(cheapest.beginning);
    missing.delete(cheapest.text);
  }
  return 1 - missing.size / evidence.length;
}

/** As many whole sentences as it takes. */
function beginningOf(text: string, isEnough: (beginning: string) => boolean): string {
  for (const { to } of piecesOf(text)) {
    const beginning = text.slice(0, to).trim();
    if (beginning !== "" && isEnough(beginning)) return beginning;
  }
  return text;
}
