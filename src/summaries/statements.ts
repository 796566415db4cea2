import { saidText } from "../core/message-text.ts";
import type { Steps } from "../core/steps.ts";
import type { Message } from "../core/types.ts";
import { readCall } from "./read-call.ts";
import { QUESTION } from "./salience.ts";
import { sentencesOf } from "./sentences.ts";

/** Something that the assistant said and that can be read alone: a sentence, a point of a list, a row of a table. */
export interface Statement {
  readonly message: number;
  readonly text: string;
  /** The title under which it stands in its message; empty if there is none. */
  readonly lead: string;
  /** How much it tells by its place: see `FACTORS`. What ends a turn counts more, the more was changed in that turn. */
  readonly factor: number;
  /** Ordinal among all statements. */
  readonly order: number;
}

/**
 * What a statement's place says about it. A message that calls no tool is what a turn came to. Before calls the assistant says
 * what it has found, then what it will do next, which the calls show anyway.
 */
const FACTORS = {
  /** The first statement of what a turn came to: the answer. */
  answer: 1.4,
  report: 1,
  /** The last one: what it comes to, or what the user is asked. */
  conclusion: 1.2,
  finding: 0.7,
  /** The last statement before a call. If it is long, it says why. */
  reasonedIntention: 0.5,
  intention: 0,
} as const;
/** What was found since the user last wrote is what the work stands on now. */
const CURRENT_TURN = 2;
/** Longer intentions have room for a reason (characters). */
const SHORT_INTENTION = 140;
/** Longer lines are read sentence by sentence (characters). */
const MAX_STATEMENT = 280;
const MAX_TITLE = 90;
/**
 * Texts of fewer words say nothing by themselves ("Good question."), unless they hold a figure or a name in code signs. What
 * is said between two calls mostly says what comes next.
 */
const MIN_WORDS = 6;
const MIN_WORDS_BETWEEN_CALLS = 12;
const SPECIFIC = /[\d`/]/;

const FENCE = /^\s*(?:```|~~~)/;
const RULE = /^[\s|:+=_*-]*$/;
const TITLE = /^(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[^.!?]*:)$/;
/** What only says that something follows ("Here is the analysis:"). */
const ANNOUNCES = /[:：]$/;
const LIST_ITEM = /^(?:[-*•]|\d+[.)])\s/;
/** Scripts that put no spaces between words. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;
/** Signs that only a page shows. */
const DECORATION = /\*\*|^#{1,6}\s+|^>\s?/g;

/** The statements of the assistant in the given messages, in order. Code between fences is none. */
export function* statementsOf(messages: readonly Message[], indexes: readonly number[]): Steps<Statement[]> {
  const statements: Statement[] = [];
  const changes = yield* changesBefore(messages);
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const turn = messages.findLastIndex(isTyped);
  for (const index of indexes) {
    yield;
    const message = messages[index];
    if (message?.role !== "assistant") continue;
    const text = saidText(message);
    if (text.trim() === "") continue;
    const calls = message.parts.some((part) => part.type === "tool-call");
    const found = readStatements(text, calls);
    // What the user was asked has been answered since, or is asked again.
    if (!calls && index < newest && found.length > 1 && QUESTION.test(found.at(-1)!.text)) found.pop();
    for (const [at, { text: said, lead }] of found.entries()) {
      const factor =
        factorOf(said, at, found.length, calls) *
        (calls ? 1 : reportFactor(changes[index]!)) *
        (index > turn ? CURRENT_TURN : 1);
      if (factor > 0) statements.push({ message: index, text: said, lead, factor, order: statements.length });
    }
  }
  return statements;
}

/** For each message the number of edits in its turn before it. */
function* changesBefore(messages: readonly Message[]): Steps<Uint32Array> {
  const before = new Uint32Array(messages.length);
  let count = 0;
  for (const [index, message] of messages.entries()) {
    if (isTyped(message)) count = 0;
    before[index] = count;
    for (const part of message.parts)
      if (part.type === "tool-call" && readCall(part).kind === "edit") count++;
    yield;
  }
  return before;
}

function isTyped({ role, parts }: Message): boolean {
  return role === "user" && parts.some((part) => part.type === "text");
}

/** A report after forty edits tells what forty rounds came to; an answer to a question tells one thing. */
function reportFactor(changes: number): number {
  return 1 + Math.log2(1 + changes) / 2;
}

function factorOf(text: string, at: number, count: number, calls: boolean): number {
  if (!calls) return at === 0 ? FACTORS.answer : at === count - 1 ? FACTORS.conclusion : FACTORS.report;
  if (at < count - 1) return FACTORS.finding;
  return text.length > SHORT_INTENTION ? FACTORS.reasonedIntention : FACTORS.intention;
}

function readStatements(text: string, calls: boolean): { readonly text: string; readonly lead: string }[] {
  const found: { text: string; lead: string }[] = [];
  let lead = "";
  let fenced = false;
  for (const raw of text.split("\n")) {
    if (FENCE.test(raw)) fenced = !fenced;
    else if (!fenced && !RULE.test(raw)) {
      const line = raw.trim();
      const plain = plainStatement(line);
      if (TITLE.test(line) && plain.length <= MAX_TITLE && !LIST_ITEM.test(line)) lead = plain;
      else
        for (const part of partsOf(plain, calls))
          if (!ANNOUNCES.test(part) && saysSomething(part, calls)) found.push({ text: part, lead });
    }
  }
  return found;
}

/** A line whole, or its sentences: each where the assistant goes on to call a tool, otherwise only if it is long. */
function partsOf(line: string, calls: boolean): string[] {
  return calls || line.length > MAX_STATEMENT || ANNOUNCES.test(line) ? sentencesOf(line) : [line];
}

function saysSomething(text: string, calls: boolean): boolean {
  const least = calls ? MIN_WORDS_BETWEEN_CALLS : MIN_WORDS;
  return SPECIFIC.test(text) || DENSE_SCRIPT.test(text) || text.split(/\s+/).length >= least;
}

/** A line of prose without the signs of its markup. */
export function plainStatement(line: string): string {
  return line.replace(DECORATION, "").replace(/\s+/g, " ").trim();
}
