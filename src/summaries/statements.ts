import type { Message } from "../core/types.ts";
import { sentencesOf } from "./sentences.ts";

/** Something that the assistant said and that can be read alone: a sentence, a point of a list, a row of a table. */
export interface Statement {
  readonly message: number;
  readonly text: string;
  /** The title under which it stands in its message; empty if there is none. */
  readonly lead: string;
  /** How much it tells by its place: see `FACTORS`. */
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
const LIST_ITEM = /^(?:[-*•]|\d+[.)])\s/;
/** Scripts that put no spaces between words. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u;
/** Signs that only a page shows. */
const DECORATION = /\*\*|^#{1,6}\s+|^>\s?/g;

/** The statements of the assistant in the given messages, in order. Code between fences is none. */
export function statementsOf(messages: readonly Message[], indexes: readonly number[]): Statement[] {
  const statements: Statement[] = [];
  for (const index of indexes) {
    const message = messages[index];
    if (message?.role !== "assistant") continue;
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    if (text.trim() === "") continue;
    const calls = message.parts.some((part) => part.type === "tool-call");
    const found = readStatements(text, calls);
    for (const [at, { text: said, lead }] of found.entries()) {
      const factor = factorOf(said, at, found.length, calls);
      if (factor > 0) statements.push({ message: index, text: said, lead, factor, order: statements.length });
    }
  }
  return statements;
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
          if (saysSomething(part, calls)) found.push({ text: part, lead });
    }
  }
  return found;
}

/** A line whole, or its sentences: each where the assistant goes on to call a tool, otherwise only if it is long. */
function partsOf(line: string, calls: boolean): string[] {
  return calls || line.length > MAX_STATEMENT ? sentencesOf(line) : [line];
}

function saysSomething(text: string, calls: boolean): boolean {
  const least = calls ? MIN_WORDS_BETWEEN_CALLS : MIN_WORDS;
  return SPECIFIC.test(text) || DENSE_SCRIPT.test(text) || text.split(/\s+/).length >= least;
}

/** A line of prose without the signs of its markup. */
export function plainStatement(line: string): string {
  return line.replace(DECORATION, "").replace(/\s+/g, " ").trim();
}
