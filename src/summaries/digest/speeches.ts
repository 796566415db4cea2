import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { IsOurs } from "../proof.ts";
import { userWords } from "../user-words.ts";
import { type ProseStatement, statementsIn } from "./statements.ts";

/** Words that the assistant said beside its calls. */
export interface Speech {
  readonly message: number;
  readonly statements: readonly ProseStatement[];
  /** It ended the turn: a report rather than a word between two calls. */
  readonly isReport: boolean;
}

/** A request of the user's. */
export interface Request {
  readonly message: number;
  readonly text: string;
  readonly statements: readonly ProseStatement[];
}

/** Answers of few words that agree, thank or urge on. */
const SHORT_WORDS = 4;
const LEAST_REQUEST = 3;

/** What programs write in the user's place: output of their own commands, notes in brackets. */
const NOT_TYPED = /^\s*(?:<[a-z][\w-]*>|\[request interrupted|caveat: )/i;

/** The assistant's words, oldest first. */
export function speechesOf(messages: readonly Message[]): Speech[] {
  const speeches: Speech[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const statements = statementsIn(saidText(message));
    if (statements.length === 0) continue;
    const calls = message.parts.some((part) => part.type === "tool-call");
    speeches.push({ message: index, statements, isReport: !calls && endsTurn(messages, index) });
  }
  return speeches;
}

/** Does a user's message follow, or nothing? */
function endsTurn(messages: readonly Message[], index: number): boolean {
  const next = messages[index + 1];
  return next === undefined || next.role === "user";
}

/** What the user asked for, oldest first; words that only agree or urge on are left out. */
export function requestsOf(messages: readonly Message[], isOurs?: IsOurs): Request[] {
  const requests: Request[] = [];
  for (const { message, text } of userWords(messages, messages.keys(), isOurs)) {
    const isAside =
      text.length < LEAST_REQUEST || (text.split(/\s+/).length < SHORT_WORDS && !text.includes("?"));
    if (NOT_TYPED.test(text) || isAside) continue;
    requests.push({ message, text, statements: statementsIn(text) });
  }
  return requests;
}
