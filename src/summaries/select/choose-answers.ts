import { firstCharacters } from "../../core/first-characters.ts";
import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { Statement } from "../material/statements.ts";
import { bySalience, type Salience } from "./salience.ts";
import { select } from "./select.ts";

/** Shorter messages are taken whole (characters). */
const MAX_START = 420;
const LOOKED_AT = 4 * MAX_START;
/** Sentences, not half ones: the cut goes back to the last end of one, but not further than this. */
const MIN_START = 200;
const SENTENCE_END = /[.!?:]\s|[。！？\n]/g;

/** How answers begin, in the order of what tells most for its length, within the budget. */
export function chooseAnswers(input: {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  readonly salience: Salience;
  readonly known: Set<number>;
}): Statement[] {
  const starts = input.indexes.flatMap((index): Statement[] => {
    const message = input.messages[index];
    const text = message?.role === "assistant" ? saidText(message) : "";
    if (text.trim() === "") return [];
    return [{ message: index, text: startOf(text), lead: "", factor: 1, order: index }];
  });
  const ranked = bySalience(
    starts.map(({ text }) => text),
    input,
  ).map((at) => starts[at]!);
  return select(ranked, {
    worth: (_, at) => ranked.length - at,
    price: ({ text }) => input.cost(`#1234 ${text}\n`),
    budget: input.budget,
  });
}

/** The start of an answer, up to the end of a sentence; a short one whole. */
export function startOf(whole: string): string {
  // Blanks shrink to one, so a little more than the longest start is enough to look at.
  const text = whole
    .trimStart()
    .slice(0, LOOKED_AT)
    .trimEnd()
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n");
  if (text.length <= MAX_START && whole.length <= LOOKED_AT) return text;
  let end = 0;
  for (const match of text.slice(0, MAX_START).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end < MIN_START) end = Math.max(text.lastIndexOf(" ", MAX_START), MIN_START);
  return `${firstCharacters(text, end).trimEnd()} …`;
}
