import { mapSteps, type Steps } from "../core/steps.ts";
import { NEVER, recency } from "./recency.ts";
import type { SectionEntry } from "./sections.ts";
import type { Statement } from "./statements.ts";

/** Statements of the oldest messages get this share of the room that new ones get. */
const OLDEST = 0.75;
/** About so many statements share a title. */
const LEAD_SHARE = 3;
/** With less room for a message (tokens), messages are left out instead of shortening all of them. */
const LEAST_ROOM = 90;

/** A phrase: longer texts say more than their figures (characters). */
const SHORT_PHRASE = 40;

/** What `chooseStatements` takes. */
export interface ChooseStatementsInput {
  readonly statements: readonly Statement[];
  /** Estimated tokens for all of them. */
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}

/** The statements of one message. */
interface Speech {
  readonly statements: readonly Statement[];
  readonly tokens: number;
  /** How much room it deserves beside others. */
  readonly weight: number;
}

/**
 * Statements within the budget. Every message gets the same room, newer ones and those that end a turn somewhat more, so that
 * one long report doesn't take the place of all others.
 */
export function* chooseStatements(input: ChooseStatementsInput): Steps<Statement[]> {
  const speeches = yield* speechesOf(input);
  const kept = yield* fewEnough(speeches, input.budget);
  const room = roomFor(kept, input.budget);
  const chosen: Statement[] = [];
  let left = input.budget;
  // The newest first: what it says again needn't be said by older ones.
  for (const speech of kept.toReversed()) {
    const taken = excerpt(speech, Math.min(left, room * speech.weight), input.cost);
    left -= tokensOf(taken, input.cost);
    chosen.push(...taken);
    yield;
  }
  return chosen;
}

function* speechesOf({ statements, cost, age }: ChooseStatementsInput): Steps<Speech[]> {
  const byMessage = new Map<number, Statement[]>();
  for (const one of lastSaid(statements)) {
    const same = byMessage.get(one.message);
    if (same) same.push(one);
    else byMessage.set(one.message, [one]);
  }
  return yield* mapSteps([...byMessage], ([message, list]) => {
    const old = Math.min(1, recency(age(message)) / NEVER);
    const best = list.reduce((most, { factor }) => Math.max(most, factor), 0);
    return { statements: list, tokens: tokensOf(list, cost), weight: best * (1 - (1 - OLDEST) * old) };
  });
}

/** What was said again later, short phrases but for their figures ("Step 3 is done."), counts where it was said last. */
function lastSaid(statements: readonly Statement[]): Statement[] {
  const last = new Map(statements.map((one) => [sameAs(one.text), one.message]));
  return statements.filter((one) => last.get(sameAs(one.text)) === one.message);
}

function sameAs(text: string): string {
  return text.length > SHORT_PHRASE ? text : text.replace(/\d+/g, "0");
}

/** All messages, or those that deserve most room if all together would leave too little for each. */
function* fewEnough(speeches: readonly Speech[], budget: number): Steps<readonly Speech[]> {
  const ranked = speeches.toSorted((a, b) => b.weight - a.weight);
  const isEnough = (count: number): boolean => roomFor(ranked.slice(0, count), budget) >= LEAST_ROOM;
  let low = 0;
  let high = ranked.length;
  while (low < high) {
    yield;
    const middle = (low + high + 1) >> 1;
    if (isEnough(middle)) low = middle;
    else high = middle - 1;
  }
  const kept = new Set(ranked.slice(0, Math.max(1, low)));
  return speeches.filter((speech) => kept.has(speech));
}

/** The room of a message of weight 1 at which all fit: short ones leave theirs to the others. */
function roomFor(speeches: readonly Speech[], budget: number): number {
  const total = speeches.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= budget) return Number.POSITIVE_INFINITY;
  const byNeed = speeches.toSorted((a, b) => a.tokens / a.weight - b.tokens / b.weight);
  let left = budget;
  let weight = byNeed.reduce((sum, one) => sum + one.weight, 0);
  for (const one of byNeed) {
    if (one.tokens > (left / weight) * one.weight) break;
    left -= one.tokens;
    weight -= one.weight;
  }
  return left / weight;
}

/**
 * The beginning and the end of what a message says, within so much room: the answer stands first, what it comes to stands
 * last, and what is told in a row can be read.
 */
function excerpt({ statements, tokens }: Speech, room: number, cost: (text: string) => number): Statement[] {
  if (tokens <= room) return [...statements];
  const begin: Statement[] = [];
  const end: Statement[] = [];
  let left = room;
  let head = 0;
  let tail = statements.length - 1;
  let used = 0;
  while (head <= tail) {
    // The end gets as much as the beginning, once the answer is there.
    const fromEnd = begin.length > 0 && used > 0;
    const one = statements[fromEnd ? tail : head]!;
    const price = cost(`${one.text}\n`) + (one.lead === "" ? 0 : cost(`${one.lead}\n`) / LEAD_SHARE);
    if (price > left) break;
    left -= price;
    if (fromEnd) {
      end.unshift(one);
      tail--;
      used -= price;
    } else {
      begin.push(one);
      head++;
      used += price;
    }
  }
  return [...begin, ...end];
}

/** Of the statements of one message, with its pointer and the titles above them. */
function tokensOf(statements: readonly Statement[], cost: (text: string) => number): number {
  const leads = new Set(statements.map(({ lead }) => lead));
  return cost(`#1234 ${[...leads, ...statements.map(({ text }) => text)].join("\n")}`);
}

/** Statements in time order, one entry per message, with the titles under which they stand. */
export function statementEntries(
  statements: readonly Statement[],
  textOf: (statement: Statement) => string,
): SectionEntry[] {
  const entries: { head: string; text: string }[] = [];
  let current = -1;
  let lead = "";
  let next = -1;
  for (const one of [...statements].sort((a, b) => a.message - b.message || a.order - b.order)) {
    const last = entries.at(-1);
    if (one.message !== current) lead = "";
    const titled = one.lead !== "" && one.lead !== lead ? `${one.lead}\n${textOf(one)}` : textOf(one);
    lead = one.lead;
    // A reader should see where something was left out.
    if (last !== undefined && one.message === current)
      last.text += one.order === next ? `\n${titled}` : ` …\n${titled}`;
    else entries.push({ head: `#${one.message + 1}`, text: titled });
    current = one.message;
    next = one.order + 1;
  }
  return entries;
}
