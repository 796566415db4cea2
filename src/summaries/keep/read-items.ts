import type { Message, Run } from "../../core/types.ts";
import { chosenAnswers, wordsInRefusal } from "../calls/refused-calls.ts";
import { isSummaryMessage } from "../markers.ts";
import { readArguments } from "../read-call.ts";
import { userWords } from "../user-words.ts";
import { findCitations } from "./find-citations.ts";
import { type FoundItem, findItems, type WordKind } from "./find-items.ts";

/** Longer lines of tool output are data; longer lines of prose are read in pieces. */
const MAX_LINE = 2_000;
/** A longer argument of a call is a file that it writes: what is named in there isn't used by the call. */
const MAX_ARGUMENT = 300;
/** Characters that are read at each end of a tool result: its items rank last, unless they are used elsewhere too. */
const MAX_RESULT_END = 10_000;

/** An item where it stands. */
export interface PlacedItem extends FoundItem<WordKind> {
  /** What it is compared by. */
  readonly key: string;
  /** Its message, and what in it: words of the user or of the assistant, a call's arguments, or data. */
  readonly index: number;
  readonly place: "user" | "said" | "call" | "result";
}

/** Visits all items of a run of messages. */
export function forEachItem(
  messages: readonly Message[],
  run: Run,
  visit: (found: PlacedItem) => void,
): void {
  function read(text: string, index: number, place: PlacedItem["place"]): void {
    const prose = place === "user" || place === "said";
    if (prose)
      for (const { key, text: form } of findCitations(text))
        visit({ kind: "citation", key, text: form, index, place });
    for (const line of readableLines(text, prose)) {
      for (const { kind, text: item } of findItems(line, prose))
        visit({ kind, key: item.toLowerCase(), text: item, index, place });
    }
  }
  for (let index = Math.max(0, run.from); index < Math.min(run.to, messages.length); index++) {
    const message = messages[index]!;
    // What was pasted into a user message is no more the user's words than a tool's result is.
    for (const typed of userWords(messages, [index])) read(typed.text, index, "user");
    for (const part of message.parts) {
      if (part.type === "text") {
        const spoken = message.role === "assistant" || isSummaryMessage(part.text);
        read(part.text, index, spoken ? "said" : "result");
      } else if (part.type === "tool-call") {
        for (const argument of argumentsOf(part.args))
          read(ends(argument), index, argument.length > MAX_ARGUMENT ? "result" : "call");
      } else if (part.type === "tool-result") {
        for (const said of wordsInRefusal(part)) read(said, index, "user");
        for (const text of chosenAnswers(part))
          visit({ kind: "name", key: text.toLowerCase(), text, index, place: "user" });
        read(ends(part.text), index, "result");
      }
    }
  }
}

function ends(text: string): string {
  if (text.length <= 2 * MAX_RESULT_END) return text;
  return `${text.slice(0, MAX_RESULT_END)}\n${text.slice(-MAX_RESULT_END)}`;
}

function* readableLines(text: string, prose: boolean): Generator<string> {
  for (const line of text.split("\n")) {
    if (line.length <= MAX_LINE) yield line;
    else if (prose) {
      for (let at = 0; at < line.length; ) {
        // Within the piece: in a line without blanks a search would go back to its beginning for every piece.
        const blank = line.slice(at, at + MAX_LINE + 1).lastIndexOf(" ");
        const end = at + (blank > 0 ? blank : MAX_LINE);
        yield line.slice(at, end);
        at = end;
      }
    }
  }
}

/** The strings of call arguments, without the escapes of JSON, which would tear paths apart. */
function argumentsOf(args: string): string[] {
  const strings: string[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === "string") strings.push(item);
    else if (typeof item === "object" && item !== null) for (const inner of Object.values(item)) visit(inner);
  };
  visit(readArguments(args));
  return strings;
}
