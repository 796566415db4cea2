import { firstCharacters } from "../core/first-characters.ts";
import { saidText } from "../core/message-text.ts";
import type { Message } from "../core/types.ts";
import { bySalience } from "./by-salience.ts";
import { outlinesOf } from "./outline.ts";
import type { Salience } from "./salience.ts";
import type { Statement } from "./statements.ts";

/** Shorter messages are taken whole (characters). */
const MAX_START = 420;
const LOOKED_AT = 4 * MAX_START;
/** Sentences, not half ones: the cut goes back to the last end of one, but not further than this. */
const MIN_START = 200;
const SENTENCE_END = /[.!?:]\s|[。！？\n]/g;

/** An outline gets its share of the room, between these lengths (characters). */
const MIN_OUTLINE = 160;
const MAX_OUTLINE = 600;
const CHARACTERS_PER_TOKEN = 4;

/**
 * What answers say, in the order of what tells most for its length, within the budget: their points where they have titles and
 * lists, otherwise their starts.
 */
export function chooseAnswers(input: {
  readonly messages: readonly Message[];
  readonly indexes: readonly number[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  readonly salience: Salience;
  readonly known: Set<number>;
}): Statement[] {
  const answers = input.indexes.flatMap((index) => {
    const message = input.messages[index];
    if (message?.role !== "assistant") return [];
    const text = saidText(message);
    return text.trim() === "" ? [] : [{ index, text }];
  });
  const outlines = outlinesOf(answers.map(({ text }) => text));
  const share = (input.budget * CHARACTERS_PER_TOKEN) / Math.max(1, answers.length);
  const most = Math.min(MAX_OUTLINE, Math.max(MIN_OUTLINE, share));
  const starts = answers.map(({ index, text }): Statement => {
    const shown = text.length <= most ? startOf(text) : (outlines.of(text, most) ?? startOf(text));
    return { message: index, text: shown, lead: "", factor: 1, order: index };
  });
  const chosen: Statement[] = [];
  let used = 0;
  for (const at of bySalience(
    starts.map(({ text }) => text),
    input,
  )) {
    const start = starts[at]!;
    const price = input.cost(`#1234 ${start.text}\n`);
    if (used + price > input.budget) continue;
    used += price;
    chosen.push(start);
  }
  return chosen;
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
