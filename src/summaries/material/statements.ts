import { isHostNote, isNotice, saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { readCall } from "../calls/read-call.ts";
import { QUESTION } from "../text/sentences.ts";
import { type Piece, readPassage, saysSomething } from "./read-passage.ts";

/** Something that the assistant said and that can be read alone: a sentence, a point of a list, a row of a table. */
export interface Statement {
  readonly message: number;
  readonly text: string;
  /** The titles under which it stands in its message, and what leads into its list, one in a line; empty if there is none. */
  readonly lead: string;
  /** How much it tells by its place: see `FACTORS`. What ends a turn counts more, the more was changed in that turn. */
  readonly factor: number;
  /** Ordinal among all statements. */
  readonly order: number;
  /** Its place in the lists, tables and lines of its message, where that was read. */
  readonly place?: Pick<Piece, "kind" | "block" | "line">;
  /** It stands in the last message of a turn that says something: what the turn came to. */
  readonly endsTurn?: boolean;
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
  /** What is listed before a call was found out at some length. */
  listed: 1,
  /** The last statement before a call. If it is long, it says why. */
  reasonedIntention: 0.5,
  intention: 0,
} as const;
/** What was found since the user last wrote is what the work stands on now. */
const CURRENT_TURN = 2;
/** What the user answered with the newest request ("do the rest"): without it that can't be read. */
const ANSWERED = 2;
/** Longer intentions have room for a reason (characters). */
export const SHORT_INTENTION = 140;
/**
 * Texts of fewer words say nothing by themselves ("Good question."), unless they hold a figure or a name in code signs. What
 * is said between two calls mostly says what comes next.
 */
const MIN_WORDS = 6;
const MIN_WORDS_BETWEEN_CALLS = 12;
/** The statements of the assistant in the given messages, in order. Of code between fences only short stretches are. */
export function statementsOf(messages: readonly Message[], indexes: readonly number[]): Statement[] {
  const statements: Statement[] = [];
  const changes = changesBefore(messages);
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const turn = messages.findLastIndex((_, index) => beginsTurn(messages, index));
  const answered = messages.findLastIndex(
    (message, index) => index < turn && message.role === "assistant" && saidText(message).trim() !== "",
  );
  for (const index of indexes) {
    const message = messages[index];
    if (message?.role !== "assistant") continue;
    const text = saidText(message);
    if (text.trim() === "") continue;
    const calls = message.parts.some((part) => part.type === "tool-call");
    const pieces = readPassage(text, calls);
    const found = pieces.filter((piece) => saysSomething(piece, calls ? MIN_WORDS_BETWEEN_CALLS : MIN_WORDS));
    // What the user was asked has been answered since, or is asked again. The choices of a list are needed to read the answer.
    const last = found.at(-1);
    if (
      !calls &&
      index < newest &&
      found.length > 1 &&
      last!.kind === "sentence" &&
      QUESTION.test(last!.text)
    )
      found.pop();
    for (const [at, piece] of found.entries()) {
      const { text: said, lead, kind, block, line } = piece;
      const factor =
        (calls ? beforeCall(piece, piece === pieces.at(-1)) : inReport(at, found.length)) *
        (calls ? 1 : reportFactor(changes[index]!)) *
        (index > turn ? CURRENT_TURN : index === answered ? ANSWERED : 1);
      if (factor > 0)
        statements.push({
          message: index,
          text: said,
          lead,
          factor,
          order: statements.length,
          place: { kind, block, line },
        });
    }
  }
  return withTurnEnds(statements, messages);
}

/** Marks what is said in the last message of each turn that says something. */
function withTurnEnds(statements: readonly Statement[], messages: readonly Message[]): Statement[] {
  const turns = new Uint32Array(messages.length);
  let turn = 0;
  for (const index of messages.keys()) turns[index] = beginsTurn(messages, index) ? ++turn : turn;
  const last = new Map(statements.map(({ message }) => [turns[message], message]));
  return statements.map((one) =>
    last.get(turns[one.message]) === one.message ? { ...one, endsTurn: true } : one,
  );
}

/** For each message the number of edits in its turn before it. */
function changesBefore(messages: readonly Message[]): Uint32Array {
  const before = new Uint32Array(messages.length);
  let count = 0;
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(messages, index)) count = 0;
    before[index] = count;
    for (const part of message.parts)
      if (part.type === "tool-call" && readCall(part).kind === "edit") count++;
  }
  return before;
}

/** Does a turn of the assistant begin with it? A person wrote it, or a host says that another agent is done. */
function beginsTurn(messages: readonly Message[], index: number): boolean {
  const message = messages[index]!;
  if (message.role !== "user" || !message.parts.some((part) => part.type === "text")) return false;
  return isNotice(message) || !isHostNote(messages, index);
}

/** A report after forty edits tells what forty rounds came to; an answer to a question tells one thing. */
function reportFactor(changes: number): number {
  return 1 + Math.log2(1 + changes) / 2;
}

function inReport(at: number, count: number): number {
  if (at === 0) return FACTORS.answer;
  return at === count - 1 ? FACTORS.conclusion : FACTORS.report;
}

/** `isLast`: of all that is said before the call, what says too little to be shown included. */
function beforeCall({ text, kind }: Piece, isLast: boolean): number {
  if (kind === "point") return FACTORS.listed;
  if (!isLast || kind !== "sentence") return FACTORS.finding;
  return text.length > SHORT_INTENTION ? FACTORS.reasonedIntention : FACTORS.intention;
}
